/*
 * The kernel clock on the RP2040's 64-bit microsecond timer (data sheet 4.6).
 */
#include <takt/port.h>
#include <takt/fact.h>
#include <takt/uptime.h>

#include "../rp2040/rp2040.h"

takt_time_t port_now(void)
{
    return RP2040_TIMER->timerawl;
}

uint64_t takt_uptime_us(void)
{
    TAKT_FACT("takes 1"); /* once more at most: the upper half changes every 71 minutes */
    uint32_t high = RP2040_TIMER->timerawh;
    for (;;) {
        uint32_t low = RP2040_TIMER->timerawl;
        uint32_t again = RP2040_TIMER->timerawh;
        if (again == high)
            return (uint64_t)high << 32 | low;
        high = again;
    }
}
