/*
 * A handler that wakes a thread. Which threads there are beside it depends on THREADS:
 *   1   nobody: the handler finds the CPU asleep
 *   2   one that computes: the handler preempts it
 *   4   that and a ping-pong above, below the woken thread: the handler comes anywhere in it, and
 *       the threads use everything a program without time can
 * `woken` is the woken thread's first instruction.
 */
#include "../mutex.h"
#include "../pins.h"

#include <takt/sem.h>
#include <takt/thread.h>

#ifndef THREADS
#define THREADS 4
#endif

static struct takt_sem event = TAKT_SEM_INIT(0);
volatile uint32_t worked;

void lab_isr(void);
void lab_isr(void)
{
    takt_sem_signal_isr(&event);
}

static void urgent(void *arg)
{
    (void)arg;
    use_mutex();
    for (;;) {
        takt_sem_wait(&event);
        __asm__ volatile(".global woken\nwoken:");
    }
}
TAKT_THREAD(urgent, 1, urgent, NULL, 640);

#if THREADS > 2
struct takt_sem ping = TAKT_SEM_INIT(0);

static void high(void *arg)
{
    (void)arg;
    for (;;)
        takt_sem_wait(&ping);
}

static void low(void *arg)
{
    (void)arg;
    for (;;) {
        takt_sem_signal(&ping);
        takt_sem_try(&ping);
        worked++;
    }
}
TAKT_THREAD(high, 2, high, NULL, 640);
TAKT_THREAD(low, 3, low, NULL, 640);
#endif

#if THREADS > 1
static void compute(void *arg)
{
    (void)arg;
    for (;;)
        worked++;
}
TAKT_THREAD(compute, 4, compute, NULL, 640);
#endif

int main(void)
{
    NVIC_ENABLE = 1u << LAB_IRQ;
    takt_start();
}
