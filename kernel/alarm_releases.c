/*
 * The alarm's handler in programs with periodic jobs or tasks, whose releases it is for, too; instead
 * of alarm.c's. They refer to it by TAKT_NEEDS_RELEASES_.
 */
#include "cpu.h"

#include <takt/isr.h>

#pragma weak takt_sleepers_due       /* linked with sleeping */
#pragma weak takt_releases_due       /* linked with periodic jobs */
#pragma weak takt_tasks_due          /* linked with tasks */
#pragma weak takt_budgets_due_locked /* linked with budgets, which it must not bring */

const uint8_t takt_releases_linked = 1; /* what TAKT_NEEDS_RELEASES_ refers to */

void takt_alarm_isr(void)
{
    takt_isr_enter();
    takt_time_t now = port_now();
    takt_time_t next = takt_sleepers_due ? takt_sleepers_due(now) : now + TAKT_ALARM_FAR;
    if (takt_releases_due)
        next = takt_releases_due(now, next);
    if (takt_tasks_due)
        next = takt_tasks_due(now, next);
    port_irq_t irq = takt_own_save();
    if (takt_budgets_due_locked)
        takt_budgets_due_locked(now, next);
    else
        port_alarm(next);
    takt_own_restore(irq);
    takt_isr_exit(TAKT_ALARM_SOURCE);
}
