/*
 * For drivers: calls that must not be torn when the calling job is terminated (takt/periodic.h). In
 * programs without periodic jobs nothing is called.
 */
#ifndef TAKT_JOB_H
#define TAKT_JOB_H

#include <takt/periodic.h>

#pragma weak takt_job_hold
#pragma weak takt_job_release

static inline void takt_begin_whole_call(void)
{
    if (takt_job_hold)
        takt_job_hold();
}

static inline void takt_end_whole_call(void)
{
    if (takt_job_release)
        takt_job_release();
}

#endif
