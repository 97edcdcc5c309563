/*
 * The one alarm: armed for the earliest of wake-ups, replenishments and budget ends. Once it has rung
 * it goes on ringing; with budgets within TAKT_ALARM_FAR, so that dates never grow older than half the
 * clock's range. Programs with jobs or tasks have the handler of alarm_releases.c.
 */
#include "cpu.h"

#include <takt/isr.h>

__attribute__((weak)) takt_time_t takt_sleepers_due(takt_time_t now)
{
    return now + TAKT_ALARM_FAR;
}

__attribute__((weak)) void takt_budgets_due_locked(takt_time_t now, takt_time_t next)
{
    (void)now;
    port_alarm(next);
}

__attribute__((weak)) void takt_alarm_isr(void)
{
    takt_isr_enter();
    takt_time_t now = port_now();
    takt_time_t next = takt_sleepers_due(now);
    port_irq_t irq = takt_own_save();
    takt_budgets_due_locked(now, next);
    takt_own_restore(irq);
    takt_isr_exit(TAKT_ALARM_SOURCE);
}
