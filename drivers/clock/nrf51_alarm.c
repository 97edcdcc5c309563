/*
 * The kernel's alarm on the nRF51: compare register 0 of the timer that is its clock. Linked with
 * code that sets one.
 *
 * A compare fires when the counter becomes equal to the register, so an instant already past would
 * fire 71 minutes late. port_alarm() therefore arms first and looks at the clock afterwards:
 * whatever the clock has reached by then is pended by hand.
 */
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/uptime.h>

#include "../nrf51/nrf51.h"

void port_alarm(takt_time_t at)
{
    if (NRF51_TIMER0->intenset == 0) { /* the first */
        NRF51_TIMER0->intenset = NRF51_TIMER_INT_COMPARE0;
        nrf51_irq_enable(NRF51_IRQ_TIMER0, 1);
    }
    NRF51_TIMER0->compare[NRF51_TIMER_ALARM] = 0;
    NRF51_TIMER0->cc[NRF51_TIMER_ALARM] = at;
    if (!takt_before(port_now(), at))
        nrf51_irq_pend(NRF51_IRQ_TIMER0);
}

void isr_timer0(void)
{
    NRF51_TIMER0->compare[NRF51_TIMER_ALARM] = 0;
    (void)takt_uptime_us();
    takt_alarm_isr();
}
