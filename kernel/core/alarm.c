/*
 * The one alarm: armed for the earliest of wake-ups, releases, replenishments and budget ends. Once
 * it has rung it goes on ringing; with budgets within TAKT_ALARM_FAR, so that dates never grow
 * older than half the clock's range.
 */
#include "cpu.h"

#include <takt/isr.h>

void takt_alarm_isr(void)
{
    takt_isr_enter();
    takt_time_t now = port_now();
    takt_time_t next = TAKT_HAS_TIME ? takt_sleepers_due(now) : now + TAKT_ALARM_FAR;
    if (TAKT_HAS_JOBS)
        next = takt_releases_due(now, next);
    if (TAKT_HAS_TASKS)
        next = takt_tasks_due(now, next);
    port_irq_t irq = takt_own_save();
    if (TAKT_HAS_BUDGETS)
        takt_budgets_due_locked(now, next);
    else
        port_alarm(next);
    takt_own_restore(irq);
    takt_isr_exit(TAKT_ALARM_SOURCE);
}
