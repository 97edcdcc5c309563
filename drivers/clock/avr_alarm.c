/*
 * The kernel's alarm on AVR: compare register A of Timer1, the clock. Linked with code that sets
 * one.
 *
 * The register holds the low 16 bits of the instant, so it matches once in every round of the
 * counter; before the last one the handler just returns. A compare happens when the counter becomes
 * equal, and no software can make it happen: an instant that has passed, or that comes before the
 * register can be written, becomes one a few ticks ahead.
 */
#include <takt/isr.h>
#include <takt/port.h>

#include "avr_clock.h"

#define SOON 3u /* ticks: longer than from reading the counter to writing the register */

static takt_time_t alarm_at;

/* The alarm is to come now. */
static void force(void)
{
    OCR1A = TCNT1 + SOON;
}

void port_alarm(takt_time_t at)
{
    alarm_at = at;
    OCR1A = (uint16_t)((uint16_t)at * AVR_CLOCK_TICKS);
    TIFR1 = 1u << OCF1A;
    TIMSK1 |= 1u << OCIE1A;
    if (!takt_before(port_now(), at))
        force();
}

PORT_ISR(TIMER1_COMPA)
{
    if (!takt_before(port_now(), alarm_at))
        takt_alarm_isr();
}
