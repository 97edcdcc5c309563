/*
 * Two threads and a semaphore, and nothing else: what a program pays for that. Marks are stores to
 * GPIOR2, a cycle each.
 */
#include <takt/port.h>
#include <takt/sem.h>
#include <takt/thread.h>

static struct takt_sem go = TAKT_SEM_INIT(0);

static void high_thread(void *arg)
{
    (void)arg;
    for (;;) {
        GPIOR2 = 1;
        takt_sem_wait(&go);
        GPIOR2 = 2;
    }
}

static void low_thread(void *arg)
{
    (void)arg;
    for (;;) {
        GPIOR2 = 3;
        takt_sem_signal(&go);
        GPIOR2 = 4;
    }
}

TAKT_THREAD(high, 1, high_thread, NULL, 64)
TAKT_THREAD(low, 2, low_thread, NULL, 64)

int main(void)
{
    takt_start();
}
