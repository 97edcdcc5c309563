/*
 * Preemption in C. Apart from sched.c: a program in which no handler wakes anybody does without the
 * port's part of it.
 */
#include "cpu.h"

#if !TAKT_HAS_BUDGETS

/* While idle the dispatcher, which is running, looks for itself; before the start no thread is
 * ready. A ceiling is looked at by the dispatcher that is asked for. */
void takt_dispatch_isr_locked(void)
{
    if (takt_core.current != TAKT_NOBODY &&
        (takt_core.ready & takt_set_before(takt_core.current)))
        port_switch_from_isr();
}

/* While idle the dispatcher, which is running, looks for itself. */
void takt_preempted_locked(void)
{
    if (takt_self() == TAKT_NOBODY)
        return;
    takt_dispatch_locked(0);
    takt_resume_tasks_locked();
}

#endif
