/*
 * The kernel clock on the RP2040's 64-bit microsecond timer, with alarm 0 (data sheet 4.6).
 *
 * An alarm fires when the low 32 bits of the timer become equal to it, so an instant already past
 * would fire 71 minutes late. port_alarm() therefore arms first and looks at the clock afterwards:
 * whatever the clock has reached by then is forced. Both paths may fire for one instant; they
 * share one pending bit and the handler clears both.
 */
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/uptime.h>

#include "../rp2040/rp2040.h"

#define ALARM 1u /* bit of alarm 0 */

void rp2040_timer_start(void)
{
    rp2040_release(RP2040_RESET_TIMER);
    RP2040_TIMER->armed = 0xF; /* disarm what ran before a warm start */
    RP2040_TIMER->intf = 0;
    RP2040_TIMER->intr = 0xF;
    RP2040_TIMER->inte = ALARM;
    rp2040_irq_enable(RP2040_IRQ_TIMER0, 1);
}

takt_time_t port_now(void)
{
    return RP2040_TIMER->timerawl;
}

void port_alarm(takt_time_t at)
{
    RP2040_TIMER->intf = 0;
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

uint64_t takt_uptime_us(void)
{
    uint32_t high = RP2040_TIMER->timerawh;
    for (;;) {
        uint32_t low = RP2040_TIMER->timerawl;
        uint32_t again = RP2040_TIMER->timerawh;
        if (again == high)
            return (uint64_t)high << 32 | low;
        high = again;
    }
}
