/*
 * The alarm in programs with budgets rings for sleepers and releases (time.c, periodic.c), at the
 * end of the running budget, and when a thread in `spent` gets some back.
 */
#include "use.h"

#include <takt/isr.h>

#if TAKT_HAS_BUDGETS

static void set_alarm_locked(takt_time_t at)
{
    takt_cpu.alarm_at = at;
    takt_cpu.alarm_armed = true;
    port_alarm(at);
}

void takt_alarm_for_locked(uint8_t place, takt_time_t at)
{
    if (takt_before(at, takt_cpu.events_at)) {
        takt_cpu.events_at = at;
        takt_cpu.events_for = place;
    }
    takt_cpu.alarm_wanted = true;
    if (!takt_cpu.busy && (!takt_cpu.alarm_armed || takt_before(at, takt_cpu.alarm_at)))
        set_alarm_locked(at);
}

void takt_alarm_by_locked(takt_time_t at)
{
    takt_alarm_for_locked(takt_core.current, at);
}

/* When the running budget ends if nothing comes between, or somewhat before. */
static takt_time_t budget_end_locked(void)
{
    const struct takt_vcpu *v = takt_vcpu_of(takt_core.current);
    uint32_t left = takt_server_over(v) ? 0 : takt_about(v->left + TAKT_PARTS - 1);
    takt_time_t from = takt_cpu.payer == &v->left ? takt_cpu.from.us : port_now();
    return from + left + TAKT_USE_LATER_US;
}

/* Not one that was for the budget of a thread that ran before: it would interrupt for nothing. */
void takt_watch_locked(void)
{
    takt_time_t at = takt_cpu.events_at;
    if (takt_cpu.charging) {
        takt_time_t end = budget_end_locked();
        if (takt_before(end, at))
            at = end;
    } else if (!takt_cpu.alarm_wanted) {
        return; /* a program may have nothing more to do */
    }
    if (at != takt_cpu.alarm_at || !takt_cpu.alarm_armed)
        set_alarm_locked(at);
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
    takt_cpu.alarm_wanted = true;
    takt_cpu.alarm_armed = false; /* set again by the dispatcher or by the way out of handlers */
    takt_dispatch_isr_locked();
}

#endif
