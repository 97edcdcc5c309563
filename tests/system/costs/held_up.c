/* A mutex whose holder is awake when a more urgent thread's sleep is over: that one runs as soon as
 * the mutex is unlocked. */
#include <takt/mutex.h>
#include <takt/time.h>
#include <takt/vcpu.h>

static struct takt_mutex shared = TAKT_MUTEX_INIT(0);
static volatile takt_time_t at;

static void urgent(void *arg)
{
    (void)arg;
    for (;;) {
        at += 2000;
        takt_sleep_until(at);
        __asm__ volatile(".global goes_on\ngoes_on:");
    }
}

static void holder(void *arg)
{
    (void)arg;
    for (;;) {
        takt_mutex_lock(&shared);
        while (takt_before(takt_now(), at + 100))
            ;
        takt_mutex_unlock(&shared);
    }
}

TAKT_BUDGET_THREAD(urgent, 200000, 1000000, urgent, NULL, 192);
TAKT_BUDGET_THREAD(holder, 600000, 1000001, holder, NULL, 192);

int main(void)
{
    at = takt_now();
    takt_start();
}
