/*
 * Uptime of the simulated chip. The kernel clock is the port's.
 */
#include <takt/uptime.h>

#include "../../port/sim/sim.h"
#include "../sim/chip.h"

uint64_t takt_uptime_us(void)
{
    sim_cost(SIM_COST_CLOCK);
    return sim_now();
}
