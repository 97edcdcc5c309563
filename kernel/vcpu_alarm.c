/*
 * The alarm rings in programs with budgets: for sleepers and releases (alarm.c), at the end of the
 * running budget, and when somebody in `spent` gets some back.
 */
#include "use.h"
#include "vcpu.h"

#include <takt/isr.h>

void takt_charge_locked(uint32_t us)
{
    takt_cpu.used += us;
    takt_alarm_by_locked(takt_budget_end_locked());
}

void takt_vcpu_charge(uint32_t us)
{
    port_irq_t irq = port_irq_save();
    if (takt_cpu.charging && !port_in_isr())
        takt_charge_locked(us);
    port_irq_restore(irq);
}

/* `at` is due, or the alarm is to ring then. */
static bool due_locked(takt_time_t at, takt_time_t now)
{
    if (!takt_before(now, at))
        return true;
    if (takt_before(at, takt_cpu.alarm_at))
        takt_cpu.alarm_at = at;
    return false;
}

/* Does the alarm concern budgets? Only then the dispatcher has to look; inside it, always, because
 * servers are being changed. */
static bool rang_locked(takt_time_t now)
{
    bool rang = false;
    if (takt_cpu.busy || now - takt_cpu.aged >= TAKT_PERIOD_MAX)
        return true;
    if (takt_cpu.spent)
        rang = due_locked(takt_cpu.refill_at, now);
    if (takt_cpu.charging)
        rang |= due_locked(takt_budget_end_locked(), now + TAKT_USE_ROUNDED);
    return rang;
}

void takt_budgets_due_locked(takt_time_t now, takt_time_t next)
{
    takt_cpu.alarm_at = now + TAKT_ALARM_FAR;
    if (takt_before(next, takt_cpu.alarm_at))
        takt_cpu.alarm_at = next;
    takt_cpu.rang = rang_locked(now);
    port_alarm(takt_cpu.alarm_at);
    takt_dispatch_isr_locked();
}
