/*
 * The alarm rings in programs with budgets: for sleepers and releases (alarm.c), at the end of the
 * running budget, and when somebody in `spent` gets some back.
 */
#include "use.h"
#include "vcpu.h"

#include <takt/isr.h>

#if TAKT_HAS_BUDGETS

/* Much more than is given is taken from the list at once. */
void takt_charge_locked(uint32_t us)
{
    struct takt_vcpu *v = takt_vcpu_of(takt_core.current);
    if (us < TAKT_GIVEN_MAX && (int32_t)v->left > -(int32_t)(TAKT_GIVEN_MAX * TAKT_PARTS)) {
        v->left -= us * TAKT_PARTS;
    } else {
        us += takt_server_used(v);
        (void)takt_server_consume(v, us, port_now());
        takt_server_give_none(v);
    }
    takt_watch_locked();
}

void takt_vcpu_charge(uint32_t us)
{
    port_irq_t irq = port_irq_save();
    if (takt_cpu.charging && !port_in_isr()) {
        takt_note_locked(TAKT_EV_CHARGE, takt_core.current, us);
        takt_charge_locked(us);
    }
    port_irq_restore(irq);
}

/* `at` is due, or the alarm is to ring then. */
static bool due_locked(takt_time_t at, takt_time_t now)
{
    if (!takt_before(now, at))
        return true;
    if (takt_before(at, takt_cpu.events_at))
        takt_cpu.events_at = at;
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
        rang |= takt_server_over(takt_vcpu_of(takt_core.current));
    return rang;
}

void takt_budgets_due_locked(takt_time_t now, takt_time_t next)
{
    bool event = !takt_before(now, takt_cpu.events_at);
    takt_cpu.rang_for = event ? takt_cpu.events_for
                        : takt_cpu.charging ? takt_core.current : TAKT_NOBODY;
    takt_cpu.events_for = TAKT_NOBODY;
    takt_cpu.events_at = now + TAKT_ALARM_FAR;
    if (takt_before(next, takt_cpu.events_at))
        takt_cpu.events_at = next;
    takt_cpu.rang = rang_locked(now);
    takt_cpu.alarm_armed = false; /* set again by the dispatcher or by the way out of handlers */
    takt_dispatch_isr_locked();
}

#endif
