/*
 * The kernel clock on Timer1 (ATmega328P data sheet 16): 16 bits at an eighth of the CPU's clock,
 * extended by counting overflows. That is half a microsecond a tick at 16 MHz, one at 8 MHz.
 */
#include <takt/port.h>
#include <takt/uptime.h>

#include "avr_clock.h"

static uint32_t base; /* the clock when the counter was last 0, of what the overflow's handler saw */
static uint32_t wraps;

/* On the way from reset to main: prescaler 8, overflows interrupt. */
__asm__(".pushsection .init5,\"ax\",@progbits\n\t"
        "ldi r24, 2\n\tsts 0x81, r24\n\t"  /* TCCR1B: CS11 */
        "ldi r24, 1\n\tsts 0x6F, r24\n\t"  /* TIMSK1: TOIE1 */
        ".popsection");

takt_time_t port_now(void)
{
    port_irq_t irq = port_irq_save();
    uint16_t ticks = TCNT1;
    uint32_t now = base;
    if ((TIFR1 & (1u << TOV1)) && !(ticks & 0x8000u)) /* not counted yet */
        now += AVR_CLOCK_WRAP_US;
    port_irq_restore(irq);
    return now + ticks / AVR_CLOCK_TICKS;
}

uint64_t takt_uptime_us(void)
{
    port_irq_t irq = port_irq_save();
    takt_time_t now = port_now();
    uint32_t high = wraps + (now < base);
    port_irq_restore(irq);
    return (uint64_t)high << 32 | now;
}

PORT_ISR(TIMER1_OVF)
{
    base += AVR_CLOCK_WRAP_US;
    wraps += base == 0;
}
