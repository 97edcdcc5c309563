/*
 * The kernel clock on the counter of an MPS2's FPGA I/O, prescaled to 1 MHz, and the alarm on CMSDK
 * timer 0 at the CPU's rate.
 */
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/uptime.h>

#include "../cmsdk/cmsdk.h"

#define LONGEST_ALARM 160000000u /* us; 2^32 ticks are more */

static uint32_t wraps;
static takt_time_t seen; /* the clock when `wraps` was last brought up to date */

void cmsdk_timer_start(void)
{
    CMSDK_TIMER0->ctrl = 0;
    CMSDK_TIMER0->reload = 0;
    CMSDK_TIMER0->intclear = 1;
    MPS2_FPGAIO->prescale = CMSDK_MHZ - 1;
    MPS2_FPGAIO->counter = 0;
    nvic_enable(CMSDK_IRQ_TIMER0, NVIC_CLOCK);
}

takt_time_t port_now(void)
{
    return MPS2_FPGAIO->counter;
}

/* A long way off it rings too early, which does no harm but keep takt_uptime_us() up to date. */
void port_alarm(takt_time_t at)
{
    uint32_t us = at - port_now();
    CMSDK_TIMER0->ctrl = 0;
    if ((int32_t)us <= 0) {
        nvic_pend(CMSDK_IRQ_TIMER0);
        return;
    }
    CMSDK_TIMER0->value = (us < LONGEST_ALARM ? us : LONGEST_ALARM) * CMSDK_MHZ;
    CMSDK_TIMER0->ctrl = CMSDK_TIMER_RUN | CMSDK_TIMER_INT;
}

void isr_timer0(void)
{
    CMSDK_TIMER0->intclear = 1;
    (void)takt_uptime_us();
    takt_alarm_isr();
}

uint64_t takt_uptime_us(void)
{
    port_irq_t irq = port_irq_save();
    takt_time_t now = port_now();
    wraps += now < seen;
    seen = now;
    uint64_t us = (uint64_t)wraps << 32 | now;
    port_irq_restore(irq);
    return us;
}
