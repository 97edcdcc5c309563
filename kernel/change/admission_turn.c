/*
 * Changes of what is admitted take turns (admission.h). A semaphore: a thread that waits for it
 * sleeps, and the one that has it computes on its own budget, which no mutex would allow. A job
 * that has it is not terminated before it gives it back.
 */
#include "admission.h"

#include <takt/job.h>
#include <takt/sem.h>

static struct takt_sem turn = TAKT_SEM_BINARY_INIT(1);

void takt_turn_take(void)
{
    takt_begin_whole_call();
    (void)takt_sem_wait(&turn);
}

void takt_turn_give(void)
{
    (void)takt_sem_signal(&turn);
    takt_end_whole_call();
}
