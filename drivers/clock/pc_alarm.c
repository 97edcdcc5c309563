/*
 * The kernel's alarm on the local APIC's timer: where the CPU can, it rings when the time stamp
 * counter has come to a value (TSC deadline); else it counts down once, at a rate of its own. Rung
 * too early it is set again.
 */
#include <apic.h>
#include <irq.h>
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/uptime.h>
#include <x86.h>

#include "pc_clock.h"

#define LONGEST_COUNT 0xFFFFFFFFu

static void ring(void *arg)
{
    (void)arg;
    takt_alarm_isr();
}

/* What the time stamp counter is when the clock reads `at`, which is within 2^31 us of now. */
static uint64_t ticks_at(takt_time_t at)
{
    uint64_t now = takt_uptime_us();
    uint64_t us = now + (uint64_t)(int64_t)(int32_t)(at - (takt_time_t)now);
    return takt_clock.start + (uint64_t)((unsigned __int128)us * takt_clock.per_us >> 32) + 1;
}

/* What has passed is at hand: a count of 0 would never ring. */
static void count_to(uint64_t target)
{
    uint64_t now = x86_ticks(), left = target > now ? target - now : 0;
    uint64_t count = (uint64_t)((unsigned __int128)left * takt_clock.timer_per >> 32) + 1;
    apic_count(count < LONGEST_COUNT ? (uint32_t)count : LONGEST_COUNT);
}

void port_alarm(takt_time_t at)
{
    struct x86_cpu *cpu = x86_here();
    uint64_t target = ticks_at(at);
    if (!cpu->alarm_ready) {
        cpu->alarm_ready = true;
        irq_set(VECTOR_ALARM, ring, NULL);
        apic_deadline();
    }
    if (takt_clock.timer_per == 0)
        x86_write_msr(MSR_TSC_DEADLINE, target);
    else
        count_to(target);
}
