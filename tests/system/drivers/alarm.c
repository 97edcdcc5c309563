/*
 * The alarm: short sleeps of every length, beside a thread that makes alarms of its own. None may
 * end early, none may be missed (which would cost 71 minutes).
 */
#include <takt/time.h>

#include "say.h"

static void noise_thread(void *arg)
{
    (void)arg;
    for (unsigned i = 0;; i++)
        takt_sleep(37 + i % 11);
}

static void sleeper_thread(void *arg)
{
    int early = 0, count = 0;
    uint32_t latest = 0;
    (void)arg;
    for (uint32_t us = 0; us < 400; us++) {
        for (int i = 0; i < 4; i++, count++) {
            takt_time_t before = takt_now();
            takt_sleep(us);
            uint32_t slept = takt_now() - before;
            early += slept < us;
            if (slept - us > latest)
                latest = slept - us;
        }
    }
    say("count", count);
    say("early", early);
    say("latest", (int32_t)latest);
    takt_time_t at = takt_now() - 5;
    takt_sleep_until(at);
    say("past", (int32_t)(takt_now() - at) < 100);
    takt_thread_exit();
}

TAKT_THREAD(sleeper, 1, sleeper_thread, 0, STACK)
TAKT_THREAD(noise, 2, noise_thread, 0, STACK)

int main(void)
{
    takt_uart_open(0, 1000000, 8, TAKT_PARITY_NONE, 1);
    takt_start();
}
