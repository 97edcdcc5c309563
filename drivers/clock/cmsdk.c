/*
 * The kernel clock on the counter of an MPS2's FPGA I/O, prescaled to 1 MHz.
 */
#include <takt/port.h>
#include <takt/uptime.h>

#include "../cmsdk/cmsdk.h"

static uint32_t wraps;
static takt_time_t seen; /* the clock when `wraps` was last brought up to date: with every alarm */

void cmsdk_timer_start(void)
{
    MPS2_FPGAIO->prescale = CMSDK_MHZ - 1;
    MPS2_FPGAIO->counter = 0;
}

takt_time_t port_now(void)
{
    return MPS2_FPGAIO->counter;
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
