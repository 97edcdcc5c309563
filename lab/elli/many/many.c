/*
 * THREADS threads: all but the last wait, each on a semaphore of its own; the last signals one after
 * the other. Pins as in elli.switch.
 */
#include "../pins.h"

#include <takt/sem.h>
#include <takt/thread.h>

static struct takt_sem event[THREADS];

static void waiter(void *arg)
{
    for (;;) {
        PINS_SET = 1u << WAIT_PIN;
        takt_sem_wait(arg);
        PINS_CLEAR = 1u << SIGNAL_PIN;
    }
}

static void last(void *arg)
{
    (void)arg;
    for (;;) {
        for (int k = 0; k < THREADS - 1; k++) {
            PINS_CLEAR = 1u << WAIT_PIN;
            PINS_SET = 1u << SIGNAL_PIN;
            takt_sem_signal(&event[k]);
        }
    }
}
WAITERS /* TAKT_THREAD(..., waiter, &event[n], STACK) for each, by scaling.py */
TAKT_THREAD(last, 255, last, NULL, STACK);

int main(void)
{
    for (int k = 0; k < THREADS - 1; k++)
        event[k].max = 1;
    pins_start();
    takt_start();
}
