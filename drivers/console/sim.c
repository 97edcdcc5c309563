/*
 * Console of the simulated chip: what the world sees on port 0.
 */
#include <takt/console.h>

#include "../../port/sim/sim.h"
#include "../sim/chip.h"

void board_console_put(char c)
{
    sim_byte_out(0, (uint8_t)c, sim_now());
}
