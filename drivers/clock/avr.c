/*
 * The kernel clock on Timer1 (ATmega328P data sheet 16): 16 bits at an eighth of the CPU's clock,
 * extended by counting overflows. That is half a microsecond a tick at 16 MHz, one at 8 MHz.
 */
#include <takt/port.h>
#include <takt/uptime.h>

#include "avr_clock.h"

/* The clock when the counter was last 0, of what the overflow's handler saw, in halves: what
 * overflows add to the low one is at most its highest bit. */
static uint16_t base_low, base_high;
static uint32_t wraps;
volatile uint8_t avr_clock_ms;

/* On the way from reset to main: prescaler 8, overflows interrupt. */
__asm__(".pushsection .init5,\"ax\",@progbits\n\t"
        "ldi r24, 2\n\tsts 0x81, r24\n\t"  /* TCCR1B: CS11 */
        "ldi r24, 1\n\tsts 0x6F, r24\n\t"  /* TIMSK1: TOIE1 */
        ".popsection");

static inline uint32_t of_halves(uint16_t low, uint16_t high)
{
    uint32_t both;
    __asm__("movw %A0, %1\n\tmovw %C0, %2" : "=&r"(both) : "r"(low), "r"(high));
    return both;
}

takt_time_t port_now(void)
{
    uint8_t flags = SREG;
    __asm__ volatile("cli" ::: "memory");
    uint16_t ticks = TCNT1, low = base_low, high = base_high;
    if ((TIFR1 & (1u << TOV1)) && !(ticks & 0x8000u)) { /* not counted yet */
        low = (uint16_t)(low + AVR_CLOCK_WRAP_US);
        high += low == 0;
    }
    __asm__ volatile("" ::: "memory");
    SREG = flags;
    return of_halves(low | ticks / AVR_CLOCK_TICKS, high);
}

uint64_t takt_uptime_us(void)
{
    port_irq_t irq = port_irq_save();
    takt_time_t now = port_now();
    uint32_t high = wraps + (now < of_halves(base_low, base_high));
    port_irq_restore(irq);
    return (uint64_t)high << 32 | now;
}

PORT_ISR(TIMER1_OVF)
{
    avr_clock_ms = 0;
    base_low = (uint16_t)(base_low + AVR_CLOCK_WRAP_US);
    if (base_low == 0)
        wraps += ++base_high == 0;
}
