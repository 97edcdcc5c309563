/*
 * For drivers: calls that must not be torn, by the end of the calling job (takt/periodic.h) or by a
 * task that starts on top of the calling one (takt/task.h). In programs without jobs and tasks
 * nothing is called. They nest.
 *
 * A library that keeps something for all tasks together from one of its calls to another (Wire) is
 * asked before a task starts on top of the calling one: true, and it does not. It is told when a
 * task has returned. One library may have that. Interrupts off.
 */
#ifndef TAKT_JOB_H
#define TAKT_JOB_H

#include <takt/periodic.h>

#pragma weak takt_job_hold
#pragma weak takt_job_release
#pragma weak takt_task_keeps_off
#pragma weak takt_task_over

#ifdef __cplusplus
extern "C" {
#endif

/* tasks.c. Thread. */
void takt_tasks_hold(void);
void takt_tasks_release(void);

bool takt_task_keeps_off(void);
void takt_task_over(void);

#ifdef __cplusplus
}
#endif

#pragma weak takt_tasks_hold
#pragma weak takt_tasks_release

static inline void takt_begin_whole_call(void)
{
    if (takt_job_hold)
        takt_job_hold();
    if (takt_tasks_hold)
        takt_tasks_hold();
}

static inline void takt_end_whole_call(void)
{
    if (takt_job_release)
        takt_job_release();
    if (takt_tasks_release)
        takt_tasks_release();
}

#endif
