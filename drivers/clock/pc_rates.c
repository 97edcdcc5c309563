/*
 * How fast the time stamp counter and the CPUs' timers count: measured against the ACPI timer, or,
 * where there is none, channel 2 of the old timer (8254).
 *
 *   reference  __|^^|__|^^|__|^^|__ ... __|^^|__|^^
 *                ^ read both                ^ and again, at a change, some 20 ms later
 *
 * A change is seen at most one reading late, which is a microsecond on a real PC: 50 ppm of what is
 * measured. So a rate that is a multiple of 100 kHz but for that is taken to be that.
 *
 * Where neither counts (the old timer may be switched off), the time is not known: that is fatal.
 */
#include <apic.h>
#include <firmware.h>
#include <takt/port.h>
#include <takt/thread.h>
#include <x86.h>

#include "pc_clock.h"

#define ACPI_HZ 3579545u
#define OLD_HZ  1193182u
#define ROUND   100000u
#define PPM     50u

enum {
    OLD_CHANNEL2 = 0x42,
    OLD_MODE = 0x43,
    OLD_COUNT_DOWN = 0xB4, /* channel 2, both bytes, rate generator */
    OLD_LATCH = 0x80,
    SPEAKER = 0x61, /* bit 0: channel 2 counts, bit 1: one hears it */
    SHORTEST = 50,  /* a measurement takes 1/50 s */
    STUCK = 1000000, /* readings, of 500 ns at least where the reference is another chip's */
};

struct reading {
    uint32_t reference, timer;
    uint64_t ticks;
};

static uint32_t old_count(void)
{
    x86_out8(OLD_MODE, OLD_LATCH);
    uint32_t low = x86_in8(OLD_CHANNEL2);
    return ~(low | (uint32_t)x86_in8(OLD_CHANNEL2) << 8) & 0xFFFFu; /* up */
}

static uint32_t reference(void)
{
    return pc_firmware.pm_timer ? x86_in32(pc_firmware.pm_timer) & 0xFFFFFFu : old_count();
}

static uint32_t reference_hz(void)
{
    return pc_firmware.pm_timer ? ACPI_HZ : OLD_HZ;
}

static uint32_t reference_mask(void)
{
    return pc_firmware.pm_timer ? 0xFFFFFFu : 0xFFFFu;
}

static void reference_start(void)
{
    if (pc_firmware.pm_timer)
        return;
    x86_out8(SPEAKER, (uint8_t)((x86_in8(SPEAKER) & ~2u) | 1u));
    x86_out8(OLD_MODE, OLD_COUNT_DOWN);
    x86_out8(OLD_CHANNEL2, 0);
    x86_out8(OLD_CHANNEL2, 0);
}

/* All three, at a change of the reference, when it has come to `from` + `least` at the earliest. */
static struct reading read_after(uint32_t from, uint32_t least)
{
    uint32_t before, now = reference(), same = 0;
    do {
        before = now;
        now = reference();
        same = now == before ? same + 1 : 0;
        if (same == STUCK)
            takt_fatal(TAKT_FATAL_START, TAKT_NOBODY, "no timer counts");
    } while (now == before || ((now - from) & reference_mask()) < least);
    return (struct reading){now, apic_left(), x86_ticks()};
}

/* a * b / c, where the result fits. */
static uint64_t scaled(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t low = a, high;
    __asm__("mulq %2\n\tdivq %3" : "+a"(low), "=&d"(high) : "r"(b), "r"(c) : "cc");
    return low;
}

static uint64_t rounded(uint64_t hz)
{
    uint64_t round = (hz + ROUND / 2) / ROUND * ROUND;
    uint64_t off = round > hz ? round - hz : hz - round;
    return off * 1000000u <= hz * PPM ? round : hz;
}

/* 2^64 * a / b, a < b. */
static uint64_t fraction(uint64_t a, uint64_t b)
{
    uint64_t low = 0, high = a;
    __asm__("divq %2" : "+a"(low), "+d"(high) : "r"(b) : "cc");
    return low;
}

void pc_clock_start(void)
{
    reference_start();
    apic_count(0xFFFFFFFFu);
    struct reading a = read_after(reference(), 0);
    struct reading b = read_after(a.reference, reference_hz() / SHORTEST);
    uint32_t passed = (b.reference - a.reference) & reference_mask();
    uint64_t hz = rounded(scaled(b.ticks - a.ticks, reference_hz(), passed));
    uint64_t timer_hz = rounded(scaled(a.timer - b.timer, reference_hz(), passed));
    apic_count(0);
    takt_clock.hz = hz;
    takt_clock.us_per = fraction(1000000u, hz);
    takt_clock.per_us = scaled(hz, 1ull << 32, 1000000u);
    takt_clock.timer_per = apic_deadline() ? 0 : scaled(timer_hz, 1ull << 32, hz);
    takt_clock.start = x86_ticks();
}
