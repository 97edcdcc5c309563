/*
 * Time.
 */
#include <takt/fact.h>
#include <takt/time.h>
#include <takt/uptime.h>

#include "Arduino.h"

#ifdef __AVR__
unsigned long millis()
{
    return takt_uptime_ms();
}
#else
/* floor(us / 1000) mod 2^32 without a 64-bit division: 2^32 = 4294967 * 1000 + 296. */
unsigned long millis()
{
    uint64_t us = takt_uptime_us();
    uint32_t high = static_cast<uint32_t>(us >> 32), low = static_cast<uint32_t>(us);
    uint32_t whole = low / 1000;
    return high * 4294967u + whole + (high * 296u + (low - whole * 1000)) / 1000;
}
#endif

unsigned long micros()
{
    return takt_now();
}

/* The clock shows whole microseconds: one more than asked for is at least what was asked for. */
static __attribute__((noinline)) void wait_by_clock(unsigned us)
{
    TAKT_FACT("takes + 25");
    takt_time_t start = takt_now();
    while (takt_now() - start <= us)
        ;
}

#ifdef __AVR__ /* where reading the clock takes 2 us, short waits are loops of four cycles */
constexpr unsigned COUNTED_US = 1000;
constexpr unsigned LOOPS = F_CPU / 4000000, OWN_LOOPS = 4; /* in a us; what the rest takes */

static inline __attribute__((always_inline)) void count(unsigned loops)
{
    __asm__ volatile("1: sbiw %0, 1\n\tbrne 1b" : "+w"(loops));
}

/* With interrupts off (constructors) the clock loses count after two rounds of its counter. */
static __attribute__((noinline)) void wait_long(unsigned us)
{
    TAKT_FACT("takes + 25");
    if (SREG & 1u << SREG_I)
        return wait_by_clock(us);
    for (; us > COUNTED_US; us -= COUNTED_US)
        count(COUNTED_US * LOOPS);
    count(us * LOOPS);
}

void delayMicroseconds(unsigned us)
{
    TAKT_FACT("takes + 25");
    if (us > COUNTED_US)
        return wait_long(us);
    if (us > OWN_LOOPS / LOOPS)
        count(us * LOOPS - OWN_LOOPS);
}

static inline void wait_a_ms()
{
    count(1000 * LOOPS);
}
#else
void delayMicroseconds(unsigned us)
{
    TAKT_FACT("takes + 25");
    wait_by_clock(us);
}

static inline void wait_a_ms()
{
    delayMicroseconds(1000);
}
#endif

/* Where nothing can sleep. */
static void busy_for_ms(unsigned long ms)
{
    while (ms--)
        wait_a_ms();
}

void delay(unsigned long ms)
{
    if (takt_sleep_ms(static_cast<uint32_t>(ms)) != TAKT_OK)
        busy_for_ms(ms);
}

void delay(takt::Duration duration)
{
    uint32_t us = static_cast<uint32_t>(duration.us < 0 ? 0 : duration.us);
    if (us <= TAKT_DURATION_MAX && takt_sleep(us) == TAKT_OK)
        return;
    delay(static_cast<unsigned long>(us / 1000));
    delayMicroseconds(static_cast<unsigned>(us % 1000));
}
