/*
 * Accounting of interrupt handlers beside budgets: their time is counted by source and not charged
 * to the thread they interrupt. Strong definitions of sched.c's weak ones, linked with vcpu_main.c.
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
        takt_use_to_locked(now);
    takt_cpu.isr_start[takt_cpu.isr_depth++] = now;
    takt_own_restore(irq);
}

void takt_isr_exit(uint8_t source)
{
    takt_check_isr_stack();
    port_irq_t irq = takt_own_save();
    takt_time_t now = port_now();
    uint32_t took = now - takt_cpu.isr_start[--takt_cpu.isr_depth];
    takt_trace_locked(now, TAKT_EV_ISR, source, took);
    if (takt_cpu.isr_depth == 0) {
        takt_cpu.isr_us += took;
        takt_use_from_locked(now);
    }
    takt_own_restore(irq);
}

uint32_t takt_isr_us(void)
{
    uint32_t us = 0;
    for (uint8_t cpu = 0; cpu < PORT_CPUS; cpu++)
        us += TAKT_ON(cpu, cpu).isr_us;
    return us;
}
