/*
 * Changes of what is admitted take turns (admission.h). A semaphore: who waits for it waits, and who has
 * it computes in his own time, which no mutex would allow. A job that has it is not terminated before it
 * gives it back.
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
