/*
 * The microsecond timer, which is the kernel's clock. Waits here keep the loop busy, on its budget.
 * Alarms are the kernel's: what is to happen later or again and again is a loop, a job or a task.
 */
#ifndef TAKT_HARDWARE_TIMER_H
#define TAKT_HARDWARE_TIMER_H

#include <pico/types.h>

#ifdef __cplusplus
extern "C" {
#endif

void delayMicroseconds(unsigned us);

#ifdef __cplusplus
}
#endif

static inline uint32_t time_us_32(void)
{
    return *(io_ro_32 *)0x40054028u;
}

static inline uint64_t time_us_64(void)
{
    io_ro_32 *high = (io_ro_32 *)0x40054024u;
    uint32_t before, low;
    do {
        before = *high;
        low = time_us_32();
    } while (before != *high);
    return (uint64_t)before << 32 | low;
}

/* At least so long: the API's, of which admission knows what it takes where the number is one. */
static inline void busy_wait_us_32(uint32_t us)
{
    delayMicroseconds(us);
}

static inline __attribute__((always_inline)) void busy_wait_us(uint64_t us)
{
    for (; us > UINT32_MAX / 2; us -= UINT32_MAX / 2)
        delayMicroseconds(UINT32_MAX / 2);
    delayMicroseconds((unsigned)us);
}

static inline void busy_wait_ms(uint32_t ms)
{
    busy_wait_us((uint64_t)ms * 1000u);
}

static inline void busy_wait_until(uint64_t at)
{
    while (time_us_64() < at) {
    }
}

/* Three cycles and more a turn. */
static inline void busy_wait_at_least_cycles(uint32_t cycles)
{
    for (uint32_t turns = cycles / 3u + 1u; turns > 0; turns--)
        __asm__ volatile("");
}

#endif
