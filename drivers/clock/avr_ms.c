/*
 * Milliseconds since the start. Which one it is, and when it ends, is kept to the end of the
 * counter's round: until then the next calls compare, and count.
 */
#include <takt/port.h>
#include <takt/uptime.h>

#include "avr_clock.h"

#define MS_TICKS ((uint16_t)(1000u * AVR_CLOCK_TICKS))
#define LEAST    ((uint16_t)(1024u * AVR_CLOCK_TICKS)) /* a power of 2, above */
#define NEVER    0xFFFFu

enum { UNKNOWN, SOUGHT, KNOWN }; /* avr_clock_ms */

static uint32_t ms;
static uint16_t end; /* of this millisecond, by the counter; NEVER if that is in the next round */

/* `floor(us / 1000)`, of which the remainder is what us has more. 2^32 = 4294967 * 1000 + 296. */
static uint32_t divided(uint64_t us, uint16_t *more)
{
    uint32_t high = (uint32_t)(us >> 32), low = (uint32_t)us;
    uint32_t whole = low / 1000u, rest = high * 296u + (low - whole * 1000u);
    *more = (uint16_t)(rest % 1000u);
    return high * 4294967u + whole + rest / 1000u;
}

/* A round of the counter that ends meanwhile, and is not known, leaves nothing. */
static __attribute__((noinline)) uint32_t sought(void)
{
    avr_clock_ms = SOUGHT;
    uint64_t us = takt_uptime_us();
    uint16_t more;
    uint32_t found = divided(us, &more);
    port_irq_t irq = port_irq_save();
    if (avr_clock_ms == SOUGHT && !(TIFR1 & (1u << TOV1))) {
        ms = found;
        uint16_t at = (uint16_t)((uint16_t)us * AVR_CLOCK_TICKS);
        uint16_t left = (uint16_t)(MS_TICKS - more * AVR_CLOCK_TICKS);
        end = at < NEVER - left ? (uint16_t)(at + left) : NEVER;
        avr_clock_ms = KNOWN;
    }
    port_irq_restore(irq);
    return found;
}

/* Of the same round, some later: 2000 ticks are 2048 less 48. Interrupts are off, and were
 * `flags`. */
static __attribute__((noinline)) uint32_t counted(uint16_t ticks, uint8_t flags)
{
    if (ticks == NEVER) {
        SREG = flags;
        return sought();
    }
    uint16_t past = (uint16_t)(ticks - end);
    uint8_t more = (uint8_t)(past / LEAST);
    uint16_t rest = (uint16_t)((past % LEAST) + more * (LEAST - MS_TICKS));
    for (; rest >= MS_TICKS; more++)
        rest = (uint16_t)(rest - MS_TICKS);
    uint32_t now = ms + more + 1u;
    uint16_t left = (uint16_t)(MS_TICKS - rest);
    end = ticks < NEVER - left ? (uint16_t)(ticks + left) : NEVER;
    ms = now;
    __asm__ volatile("" ::: "memory");
    SREG = flags;
    return now;
}

uint32_t takt_uptime_ms(void)
{
    uint8_t flags = SREG;
    __asm__ volatile("cli" ::: "memory");
    uint16_t ticks = TCNT1;
    if (!(avr_clock_ms & KNOWN) || (TIFR1 & (1u << TOV1))) {
        SREG = flags;
        return sought();
    }
    if (ticks >= end)
        return counted(ticks, flags);
    uint32_t now = ms;
    __asm__ volatile("" ::: "memory");
    SREG = flags;
    return now;
}
