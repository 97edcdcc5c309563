/*
 * The accounts of CPU time (use.h) where they stop and open outside the dispatcher: at interrupt
 * handlers, whose time is counted by source and not charged to the thread they interrupt, and where
 * a thread charges itself.
 */
#include "use.h"

#include <takt/isr.h>

#if TAKT_HAS_BUDGETS

TAKT_MARKS_ISR_STACK;

#ifdef PORT_NOTES_BACK
void takt_use_opened_there_locked(void)
{
    if (!port_has_resumed())
        return;
    struct takt_instant at = takt_cpu.from;
    at.fine = takt_fine_near(port_fine_resumed(), takt_cpu.from.fine) + PORT_BACK;
    takt_use_add_locked(at);
    takt_use_open_locked();
}
#endif

void takt_use_lapse_by_locked(uint32_t parts)
{
    struct takt_instant at = takt_instant();
    takt_use_returned_locked();
    at.fine += parts;
    takt_use_add_locked(at);
}

void takt_bill_up_to_now_locked(uint8_t place)
{
    if (takt_use_stopped_locked())
        takt_use_lapse_locked();
    if (takt_cpu.kernel && takt_pays_locked(place))
        takt_use_bill_locked(takt_account_of(place));
}

void takt_isr_enter(void)
{
    port_irq_t irq = takt_own_save();
    takt_time_t now = port_now();
    if (takt_cpu.isr_depth == 0)
        takt_use_interrupted_locked(now);
    takt_cpu.isr_start[takt_cpu.isr_depth++] = now;
    takt_own_restore(irq);
}

/* The account that pays for the alarm's handler, which no dispatching follows: of the thread that
 * has set it, if that has budget. */
static uint32_t *alarm_payer_locked(void)
{
    uint8_t place = takt_cpu.rang_for;
    bool pays = place != TAKT_NOBODY && takt_pays_locked(place);
    return pays ? takt_account_of(place) : &takt_cpu.spare;
}

/* What the alarm is wanted for, but the end of the running budget. */
static bool is_due_locked(void)
{
    return !takt_before(port_now(), takt_cpu.events_at);
}

/* The outermost handler ends. Where the dispatcher follows, that finds which thread pays for the
 * alarm. If the interrupted thread has set it, is that thread's time up to its next instruction. */
static void handled_locked(bool alarm)
{
    bool later = takt_cpu.asked || (takt_cpu.busy && takt_pending_locked());
    bool resumes =
        takt_cpu.interrupted != &takt_cpu.kernel && !takt_cpu.asked && !takt_cpu.returning;
    uint32_t *payer = &takt_cpu.spare;
    if (alarm)
        payer = later ? &takt_cpu.kernel : alarm_payer_locked();
    takt_use_handled_locked(payer, resumes && payer != takt_cpu.interrupted ? PORT_EXIT : 0);
    takt_cpu.payer = takt_cpu.asked ? &takt_cpu.kernel : takt_cpu.interrupted;
    /* The budget ends later, by what handlers have taken. Behind the alarm's, which leaves the rest
     * to the dispatcher, another handler may take so long that more is due by now. */
    bool left = later || takt_cpu.busy;
    if (!takt_cpu.alarm_armed && (!left || (!alarm && is_due_locked())))
        takt_watch_locked();
}

void takt_isr_exit(uint8_t source)
{
    takt_check_isr_stack();
    port_irq_t irq = takt_own_save();
    takt_time_t now = port_now();
    uint32_t took = now - takt_cpu.isr_start[--takt_cpu.isr_depth];
    if (takt_cpu.isr_depth == 0)
        takt_cpu.isr_us += took;
    takt_trace_locked(now, TAKT_EV_ISR, source, took);
    if (takt_cpu.isr_depth == 0)
        handled_locked(source == TAKT_ALARM_SOURCE);
    takt_own_restore(irq);
}

/* Much more than is given is taken from the list at once. */
void takt_charge_locked(uint32_t us)
{
    struct takt_vcpu *v = takt_vcpu_of(takt_core.current);
    if (us < TAKT_GIVEN_MAX && (int32_t)v->left > -(int32_t)(TAKT_GIVEN_MAX * TAKT_PARTS)) {
        v->left -= us * TAKT_PARTS;
    } else {
        uint32_t used = takt_server_used(v);
        us = us < UINT32_MAX - used ? us + used : UINT32_MAX;
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

uint32_t takt_isr_us(void)
{
    uint32_t us = 0;
    for (uint8_t cpu = 0; cpu < PORT_CPUS; cpu++)
        us += TAKT_ON(cpu, cpu).isr_us;
    return us;
}

#endif
