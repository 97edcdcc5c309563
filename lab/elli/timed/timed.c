/*
 * Threads, semaphores and time: the least that has sleep, timed wait and the tickless alarm. For its
 * size; and, with HANDLER, for interrupts off with timers: a handler signals, and every other wait
 * and sleep is of 0 to 3 us, so that alarms are also due by the time they are set.
 */
#include "../pins.h"

#include <takt/sem.h>
#include <takt/thread.h>
#include <takt/time.h>

#ifdef HANDLER
#define US(round, us) ((round) & 1 ? (round) >> 1 & 3 : (us))
#else
#define US(round, us) (us)
#endif

struct takt_sem ping = TAKT_SEM_INIT(0);

static void high(void *arg)
{
    (void)arg;
    for (uint32_t round = 0;; round++)
        takt_sem_wait_for(&ping, US(round, 300));
}

static void low(void *arg)
{
    (void)arg;
    for (uint32_t round = 0;; round++) {
        takt_sem_signal(&ping);
        takt_sleep(US(round, 20));
    }
}

#ifdef HANDLER
void lab_isr(void);
void lab_isr(void)
{
    takt_sem_signal_isr(&ping);
}
#endif

TAKT_THREAD(high, 1, high, NULL, 640);
TAKT_THREAD(low, 2, low, NULL, 640);

int main(void)
{
    NVIC_ENABLE = 1u << LAB_IRQ;
    takt_start();
}
