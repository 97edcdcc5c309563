/*
 * The one alarm: armed for the earliest of wake-ups, replenishments and budget ends, reprogrammed
 * only when something earlier comes up. It always rings within ALARM_FAR, so that dates never
 * grow older than half the clock's range.
 */
#include "cpu.h"

#include <takt/isr.h>

#define ALARM_FAR (TAKT_DURATION_MAX / 2)

__attribute__((weak)) void takt_sleepers_due(takt_time_t now)
{
    (void)now;
}

__attribute__((weak)) void takt_budgets_due_locked(takt_time_t now)
{
    (void)now;
}

void takt_alarm_by_locked(takt_time_t at)
{
    if (takt_timers.alarm_armed && !takt_before(at, takt_timers.alarm_at))
        return;
    takt_timers.alarm_at = at;
    takt_timers.alarm_armed = true;
    if (!takt_timers.alarm_held)
        port_alarm(at);
}

void takt_alarm_isr(void)
{
    takt_isr_enter();
    port_irq_t irq = port_irq_save();
    takt_time_t now = port_now();
    takt_timers.alarm_held = true;
    takt_timers.alarm_at = now + ALARM_FAR;
    port_irq_restore(irq);
    takt_sleepers_due(now);
    irq = port_irq_save();
    takt_budgets_due_locked(now);
    takt_timers.alarm_held = false;
    port_alarm(takt_timers.alarm_at);
    takt_dispatch_isr_locked();
    port_irq_restore(irq);
    takt_isr_exit(TAKT_ALARM_SOURCE);
}
