/*
 * The kernel's own release and wait: JOBS periodic threads with empty jobs, all released at the
 * same instant. What happens is looked at from outside, instruction by instruction (kernel.py).
 *
 * The kernel would spread them. Here its placing, compiled with the period as its resolution, has
 * but one instant to choose from.
 */
#ifndef PERIOD_US
#define PERIOD_US 20000
#endif
#define TAKT_PERIODIC_TICK_US PERIOD_US

#include "../../../kernel/job/releases.c"

#ifndef JOBS
#define JOBS 1
#endif

__attribute__((noinline)) void job(void)
{
    __asm__ volatile("");
}

#define STACK 296
#define A_JOB(id) TAKT_PERIODIC(id, 400, PERIOD_US, TAKT_TERMINATE, job, STACK);

A_JOB(j1)
#if JOBS >= 2
A_JOB(j2)
#endif
#if JOBS >= 4
A_JOB(j3) A_JOB(j4)
#endif
#if JOBS >= 8
A_JOB(j5) A_JOB(j6) A_JOB(j7) A_JOB(j8)
#endif
#if JOBS >= 12 /* there is no memory for more */
A_JOB(j9) A_JOB(j10) A_JOB(j11) A_JOB(j12)
#endif

int main(void)
{
    takt_start();
}
