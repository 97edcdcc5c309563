/*
 * Changes of what is admitted take turns where threads can be created (admission.h). A semaphore: who
 * waits for it waits, and who has it computes in his own time, which no mutex would allow. A job that
 * has it is not terminated before it gives it back.
 */
#include "admission.h"

#include <takt/periodic.h>
#include <takt/sem.h>

#if TAKT_DYNAMIC

#pragma weak takt_job_hold
#pragma weak takt_job_release

static struct takt_sem turn = TAKT_SEM_BINARY_INIT(1);

void takt_turn_take(void)
{
    if (takt_job_hold)
        takt_job_hold();
    (void)takt_sem_wait(&turn);
}

void takt_turn_give(void)
{
    (void)takt_sem_signal(&turn);
    if (takt_job_release)
        takt_job_release();
}

#else
typedef int takt_turns_are_for_dynamic_programs;
#endif
