/*
 * The clock of a PC: the CPUs' time stamp counter, which is one for all, at a rate that does not
 * change.
 */
#ifndef TAKT_PC_CLOCK_H
#define TAKT_PC_CLOCK_H

#include <stdint.h>

struct takt_clock {
    uint64_t start;    /* what the counter read when the kernel's clock was 0 */
    uint64_t hz;       /* its ticks a second */
    uint64_t us_per;   /* a tick in microseconds, times 2^64 */
    uint64_t per_us;   /* ticks in a microsecond, times 2^32 */
    uint64_t timer_per; /* ticks of the CPUs' timers for one of these, times 2^32; 0: they ring
                           at a value of the counter (TSC deadline) */
};
extern struct takt_clock takt_clock;

/* Finds the rates out; the clock is 0 then. Takes some 25 ms. The APIC of this CPU is on. Before
 * main. */
void pc_clock_start(void);

#endif
