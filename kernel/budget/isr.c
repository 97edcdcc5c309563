/*
 * Accounting of interrupt handlers beside budgets: their time is counted by source and not charged
 * to the thread they interrupt (use.h).
 */
#include "use.h"

#include <takt/isr.h>
#include <takt/vcpu.h>

#if TAKT_HAS_BUDGETS

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

/* The outermost handler ends. Where the dispatcher follows, that finds which thread pays for the
 * alarm; else it has woken no thread, was for a timeout, ..., and if the interrupted thread has set
 * it, is that thread's time up to its next instruction. What the dispatcher has taken until it was
 * interrupted is kept apart: its payer's. */
static void handled_locked(bool alarm)
{
    bool later = takt_cpu.asked || (takt_cpu.busy && takt_pending_locked());
    bool resumes = !takt_cpu.was_stopped && !takt_cpu.asked;
    bool own = false;
    struct takt_span before = TAKT_SPAN_NONE;
    if (takt_cpu.busy && !later) {
        before = takt_cpu.kernel;
        takt_use_forget(&takt_cpu.kernel);
    }
    if (alarm && !later) {
        takt_use_handled_locked(&takt_cpu.kernel, 0);
        own = takt_cpu.rang_for == takt_core.current;
        if (takt_cpu.rang_for != TAKT_NOBODY)
            takt_bill_locked(takt_cpu.rang_for);
    }
    if (!later)
        takt_cpu.kernel = before;
    if (takt_cpu.alarm_rang && !later && !takt_cpu.busy)
        takt_watch_locked(); /* the budget ends later, by what handlers have taken */
    takt_cpu.alarm_rang = false;
    if (!own)
        takt_use_handled_locked(alarm && later ? &takt_cpu.kernel : NULL, resumes ? PORT_EXIT : 0);
    if (resumes)
        takt_cpu.stopped = false;
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

#endif
