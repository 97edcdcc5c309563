/*
 * The interrupts' stack has overflowed while the dispatcher was on it: who is woken then must not run.
 */
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/vcpu.h>

#include "check.h"

#define ROUNDS 3 /* the last one with the sentinel gone; by then all threads have run */

extern volatile uint32_t __takt_isr_stack_start[];
volatile uint32_t rounds;
static struct takt_sem start = TAKT_SEM_INIT(0);

static void woken(void *arg)
{
    (void)arg;
    for (;;) {
        takt_sem_wait(&start);
        rounds++;
    }
}

static void waker(void *arg)
{
    (void)arg;
    for (uint32_t n = 1; n <= ROUNDS; n++) {
        takt_sleep(1000);
        if (n == ROUNDS)
            __takt_isr_stack_start[0] = 0;
        takt_sem_signal(&start);
    }
    done = 1;
}

TAKT_BUDGET_THREAD(woken, 5000, 50000, woken, 0, 512)
TAKT_BUDGET_THREAD(waker, 5000, 100000, waker, 0, 512)

int main(void)
{
    takt_start();
}
