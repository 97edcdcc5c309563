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

/* The account that pays for the alarm's handler, which no dispatching follows: of the thread that has
 * set it, if that has budget. */
static uint32_t *alarm_payer_locked(void)
{
    uint8_t place = takt_cpu.rang_for;
    return place != TAKT_NOBODY && takt_pays_locked(place) ? takt_account_of(place) : &takt_cpu.spare;
}

/* The outermost handler ends. Where the dispatcher follows, that finds which thread pays for the
 * alarm. If the interrupted thread has set it, is that thread's time up to its next instruction. */
static void handled_locked(bool alarm)
{
    bool later = takt_cpu.asked || (takt_cpu.busy && takt_pending_locked());
    bool resumes = takt_cpu.interrupted != &takt_cpu.kernel && !takt_cpu.asked && !takt_cpu.returning;
    uint32_t *payer = &takt_cpu.spare;
    if (alarm)
        payer = later ? &takt_cpu.kernel : alarm_payer_locked();
    takt_use_handled_locked(payer, resumes && payer != takt_cpu.interrupted ? PORT_EXIT : 0);
    takt_cpu.payer = takt_cpu.asked ? &takt_cpu.kernel : takt_cpu.interrupted;
    if (!takt_cpu.alarm_armed && !later && !takt_cpu.busy)
        takt_watch_locked(); /* the budget ends later, by what handlers have taken */
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
