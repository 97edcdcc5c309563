/*
 * THREADS threads: all but the last wait, each on a semaphore of its own; the last signals one after
 * the other. Pins as in elli.switch. scaling.py defines THREADS and EACH(X), which is X(0) X(1) ...
 * for those that wait.
 */
#include "../pins.h"

#include <takt/sem.h>
#include <takt/thread.h>

static struct takt_sem event[THREADS - 1];

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
            PINS_SET = 1u << SIGNAL_PIN;
            takt_sem_signal(&event[k]);
            PINS_CLEAR = 1u << WAIT_PIN;
        }
    }
}

/* Stacks are left to the build, for these have to be small. */
#define SIZED_THREAD(id, priority, entry, arg)                                                     \
    extern char takt_stack_##id[], takt_stack_##id##_end[];                                        \
    TAKT_NAME_(id, #id);                                                                           \
    TAKT_DESCRIPTOR_(id) = {                                                                       \
        entry, arg, takt_stack_##id, takt_stack_##id##_end, NULL, takt_name_##id};                 \
    TAKT_REGISTER_(id, TAKT_ORDER_PRIORITY_(priority), __LINE__)
#define WAITER(n) SIZED_THREAD(waiter##n, n, waiter, &event[n])

EACH(WAITER)
SIZED_THREAD(last, THREADS, last, NULL)

int main(void)
{
    for (int k = 0; k < THREADS - 1; k++)
        event[k].max = 1;
    pins_start();
    takt_start();
}
