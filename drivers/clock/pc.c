/*
 * The kernel clock on the time stamp counter.
 *
 *      us = (ticks - start) * us_per / 2^64
 */
#include <takt/port.h>
#include <takt/uptime.h>
#include <x86.h>

#include "pc_clock.h"

struct takt_clock takt_clock;

uint64_t takt_uptime_us(void)
{
    uint64_t ticks = x86_ticks() - takt_clock.start;
    return (uint64_t)((unsigned __int128)ticks * takt_clock.us_per >> 64);
}

static uint32_t fine(uint64_t ticks)
{
    return (uint32_t)((unsigned __int128)(ticks - takt_clock.start) * takt_clock.us_per >> 54);
}

void port_fine_start(takt_time_t now)
{
    (void)now;
}

uint32_t port_fine(void)
{
    return fine(x86_ticks());
}

uint32_t port_fine_entered(void)
{
    return fine(x86_here()->entered);
}

uint32_t port_fine_resumed(void)
{
    return fine(x86_here()->resumed);
}

void port_fine_resumes(void)
{
    x86_here()->notes = 1;
}

bool port_has_resumed(void)
{
    return !x86_here()->notes;
}

takt_time_t port_now(void)
{
    return (takt_time_t)takt_uptime_us();
}
