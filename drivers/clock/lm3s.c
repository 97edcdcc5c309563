/*
 * The kernel clock on SysTick of an LM3S (data sheet 3.1.1), which counts down 24 bits at the CPU's
 * rate.
 *
 * SysTick wraps every 2^18 us, so an interrupt counts in units of that and no more than 24 bits are
 * ever divided. A wrap that has happened and not been counted shows in ICSR. Nothing that reads the
 * clock can interrupt the counting: it has the highest priority at which the kernel may be called.
 */
#include <takt/port.h>
#include <takt/uptime.h>

#include "../lm3s/lm3s.h"

enum {
    WRAP_SHIFT = 18,
    RELOAD = (LM3S_MHZ << WRAP_SHIFT) - 1,
    SYSTICK_RUN = 7, /* CPU's clock, interrupt, on */
};

#define ICSR           (*(lm3s_reg *)0xE000ED04u)
#define ICSR_PENDSTSET (1u << 26)
#define SHPR_SYSTICK   (*(volatile uint8_t *)0xE000ED23u)

volatile uint32_t lm3s_clock_wraps[2]; /* low, high */

void lm3s_timer_start(void)
{
    LM3S_SYSTICK->ctrl = 0;
    LM3S_SYSTICK->reload = RELOAD;
    LM3S_SYSTICK->current = 0;
    SHPR_SYSTICK = NVIC_CLOCK;
    LM3S_SYSTICK->ctrl = SYSTICK_RUN;
}

void isr_systick(void)
{
    port_irq_t irq = port_irq_save();
    if (++lm3s_clock_wraps[0] == 0)
        lm3s_clock_wraps[1]++;
    port_irq_restore(irq);
}

/* Microseconds since the last wrap counted. */
static uint32_t part_locked(void)
{
    uint32_t left = LM3S_SYSTICK->current;
    uint32_t wrapped = 0;
    if (ICSR & ICSR_PENDSTSET) {
        left = LM3S_SYSTICK->current;
        wrapped = 1u << WRAP_SHIFT;
    }
    return wrapped + (RELOAD - left) / LM3S_MHZ;
}

takt_time_t port_now(void)
{
    port_irq_t irq = port_irq_save();
    takt_time_t now = (lm3s_clock_wraps[0] << WRAP_SHIFT) + part_locked();
    port_irq_restore(irq);
    return now;
}

uint64_t takt_uptime_us(void)
{
    port_irq_t irq = port_irq_save();
    uint64_t wraps = (uint64_t)lm3s_clock_wraps[1] << 32 | lm3s_clock_wraps[0];
    uint64_t us = (wraps << WRAP_SHIFT) + part_locked();
    port_irq_restore(irq);
    return us;
}
