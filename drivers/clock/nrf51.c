/*
 * The kernel clock on TIMER0 of the nRF51: 32 bits, 1 MHz (reference manual 18). The counter is
 * read by capturing it.
 */
#include <takt/port.h>
#include <takt/uptime.h>

#include "../nrf51/nrf51.h"

static uint32_t wraps;
static takt_time_t seen; /* the clock when `wraps` was last brought up to date: with every alarm */

void nrf51_timer_start(void)
{
    NRF51_TIMER0->stop = 1;
    NRF51_TIMER0->mode = 0;
    NRF51_TIMER0->bitmode = NRF51_TIMER_32_BIT;
    NRF51_TIMER0->prescaler = 4; /* 16 MHz / 2^4 */
    NRF51_TIMER0->clear = 1;
    NRF51_TIMER0->start = 1;
}

takt_time_t port_now(void)
{
    NRF51_TIMER0->capture[NRF51_TIMER_NOW] = 1;
    return NRF51_TIMER0->cc[NRF51_TIMER_NOW]; /* a handler in between makes it later, not wrong */
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
