/*
 * The kernel clock on TIMER0 of the nRF51: 32 bits, 1 MHz, compare register 0 as the alarm
 * (reference manual 18). The counter is read by capturing it.
 *
 * A compare fires when the counter becomes equal to the register, so an instant already past would
 * fire 71 minutes late. port_alarm() therefore arms first and looks at the clock afterwards:
 * whatever the clock has reached by then is pended by hand.
 */
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/uptime.h>

#include "../nrf51/nrf51.h"

enum { ALARM, NOW }; /* compare and capture registers */

#define LOOK_EVERY 0x40000000u /* us; the kernel's alarm rings more often */

static uint32_t wraps;
static takt_time_t seen; /* the clock when `wraps` was last brought up to date */

void nrf51_timer_start(void)
{
    NRF51_TIMER0->stop = 1;
    NRF51_TIMER0->mode = 0;
    NRF51_TIMER0->bitmode = NRF51_TIMER_32_BIT;
    NRF51_TIMER0->prescaler = 4; /* 16 MHz / 2^4 */
    NRF51_TIMER0->clear = 1;
    NRF51_TIMER0->cc[ALARM] = LOOK_EVERY;
    NRF51_TIMER0->compare[ALARM] = 0;
    NRF51_TIMER0->intenset = NRF51_TIMER_INT_COMPARE0;
    NRF51_TIMER0->start = 1;
    nrf51_irq_enable(NRF51_IRQ_TIMER0, 1);
}

takt_time_t port_now(void)
{
    NRF51_TIMER0->capture[NOW] = 1;
    return NRF51_TIMER0->cc[NOW]; /* a handler in between makes it later, not wrong */
}

void port_alarm(takt_time_t at)
{
    NRF51_TIMER0->compare[ALARM] = 0;
    NRF51_TIMER0->cc[ALARM] = at;
    if (!takt_before(port_now(), at))
        nrf51_irq_pend(NRF51_IRQ_TIMER0);
}

void isr_timer0(void)
{
    NRF51_TIMER0->compare[ALARM] = 0;
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
