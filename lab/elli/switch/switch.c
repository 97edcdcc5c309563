/*
 * Semaphore ping-pong (Ell-i thesis, Snippet 7): a high-priority thread blocks on a semaphore, a
 * low-priority thread signals it. WAIT_PIN is high from just before wait() to the low thread's first
 * instruction, SIGNAL_PIN from just before signal() to the high thread's return from wait(). The pin
 * writes are single stores and inside the windows, as in the thesis.
 */
#include "../mutex.h"
#include "../pins.h"

#include <takt/sem.h>
#include <takt/thread.h>

#ifndef PING_THREAD /* elli.budgets gives them budgets */
#define PING_THREAD(id, order) TAKT_THREAD(id, order, id, NULL, 640)
#endif
#ifndef PING_REST
#define PING_REST() ((void)0)
#endif

struct takt_sem ping = TAKT_SEM_INIT(0);

static void high(void *arg)
{
    (void)arg;
    use_mutex();
    for (;;) {
        PINS_SET = 1u << WAIT_PIN;
        takt_sem_wait(&ping);
        PINS_CLEAR = 1u << SIGNAL_PIN;
    }
}

static void low(void *arg)
{
    (void)arg;
    for (;;) {
        PINS_CLEAR = 1u << WAIT_PIN;
        PING_REST();
        PINS_SET = 1u << SIGNAL_PIN;
        takt_sem_signal(&ping);
    }
}

PING_THREAD(high, 1);
PING_THREAD(low, 2);

int main(void)
{
    pins_start();
    takt_start();
}
