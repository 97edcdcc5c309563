/*
 * Accounting of interrupt handlers beside budgets: their time is counted by source and not charged
 * to the thread they interrupt (use.h). Strong definitions of sched.c's weak ones, linked with vcpu_main.c.
 */
#include "use.h"

#include <takt/isr.h>
#include <takt/vcpu.h>

TAKT_MARKS_ISR_STACK;

void takt_isr_enter(void)
{
    port_irq_t irq = takt_own_save();
    takt_time_t now = port_now();
    if (takt_cpu.isr_depth == 0)
        takt_use_interrupted_locked(now);
    takt_cpu.isr_start[takt_cpu.isr_depth++] = now;
    takt_own_restore(irq);
}

/* The outermost handler ends. Where the dispatcher follows, that finds who pays for the alarm. An alarm of
 * the interrupted thread's own is its time up to its next instruction. */
static void handled_locked(bool alarm)
{
    bool later = takt_cpu.asked || (takt_cpu.busy && takt_pending_locked());
    bool resumes = !takt_cpu.was_stopped && !takt_cpu.asked;
    bool woke_none = alarm && !later && takt_cpu.rang_for != TAKT_NOBODY; /* a timeout, ... */
    bool own = woke_none && takt_cpu.rang_for == takt_core.current;
    takt_use_handled_locked(alarm ? &takt_cpu.kernel : NULL);
    if (woke_none)
        takt_bill_locked(takt_cpu.rang_for);
    if (!later)
        takt_use_forget(&takt_cpu.kernel);
    if (takt_cpu.alarm_rang && !later && !takt_cpu.busy)
        takt_watch_locked(); /* the budget ends later, by what handlers have taken */
    takt_cpu.alarm_rang = false;
    if (resumes)
        takt_use_goes_on_locked(own);
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

uint32_t takt_isr_us(void)
{
    uint32_t us = 0;
    for (uint8_t cpu = 0; cpu < PORT_CPUS; cpu++)
        us += TAKT_ON(cpu, cpu).isr_us;
    return us;
}
