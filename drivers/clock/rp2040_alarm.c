/*
 * The kernel's alarm on the RP2040: alarm 0 of the timer (data sheet 4.6). Linked with code that
 * sets one.
 *
 * An alarm fires when the low 32 bits of the timer become equal to it, so an instant already past
 * would fire 71 minutes late. port_alarm() therefore arms first and looks at the clock afterwards:
 * whatever the clock has reached by then is forced. Both paths may fire for one instant; they
 * share one pending bit and the handler clears both.
 */
#include <takt/isr.h>
#include <takt/port.h>

#include "../rp2040/rp2040.h"

#define ALARM 1u /* bit of alarm 0 */

void port_alarm(takt_time_t at)
{
    if (!(RP2040_TIMER->inte & ALARM)) { /* the first; drivers may have theirs already */
        RP2040_SET(RP2040_TIMER->inte) = ALARM;
        rp2040_irq_enable(RP2040_IRQ_TIMER0, 1);
    }
    RP2040_TIMER->intf = 0;
    RP2040_TIMER->intr = ALARM; /* the previous one may have come, with interrupts off */
    rp2040_irq_drop(RP2040_IRQ_TIMER0);
    RP2040_TIMER->alarm[0] = at;
    if (!takt_before(RP2040_TIMER->timerawl, at))
        RP2040_TIMER->intf = ALARM;
}

void isr_timer0(void)
{
    RP2040_TIMER->intf = 0;
    RP2040_TIMER->intr = ALARM;
    takt_alarm_isr();
}
