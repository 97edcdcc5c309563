/*
 * Threads, semaphores and time: the least that has sleep, timed wait and the tickless alarm. For its
 * size; and, with HANDLER, which has a handler signal, for interrupts off with timers.
 */
#include "../pins.h"

#include <takt/sem.h>
#include <takt/thread.h>
#include <takt/time.h>

struct takt_sem ping = TAKT_SEM_INIT(0);

static void high(void *arg)
{
    (void)arg;
    for (;;)
        takt_sem_wait_for(&ping, 300);
}

static void low(void *arg)
{
    (void)arg;
    for (;;) {
        takt_sem_signal(&ping);
        takt_sleep(20);
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
