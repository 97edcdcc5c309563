/*
 * Cycle costs. Instructions: Cortex-M0+ TRM (DDI 0484C) table 3-1 and Cortex-M0 TRM (DDI 0432C)
 * table 3-1, one-cycle multiplier. Exception entry: the documented worst-case interrupt latency
 * at zero wait states, 15 and 16 cycles. The manuals give no figure for exit and tail chain;
 * ours are: exit 13 and 16 including the BX that causes it, tail chain 6 after that BX.
 *
 * SVC itself is counted as 1 cycle before the entry it causes.
 *
 * Wait states: flash is fetched a word at a time, so `wait_states` are paid by each instruction
 * that starts a word, by the target of a taken branch, and by each load from flash.
 */
#include "machine.h"

static const struct cycle_table m0p = {
    .branch = 2,
    .bl = 3,
    .bx = 2,
    .pop_pc = 3,
    .move_special = 3,
    .barrier = 3,
    .port = 1,
    .entry = 15,
    .exit = 11,
    .tail_chain = 6,
};

static const struct cycle_table m0 = {
    .branch = 3,
    .bl = 4,
    .bx = 3,
    .pop_pc = 4,
    .move_special = 4,
    .barrier = 4,
    .port = 0,
    .entry = 16,
    .exit = 13,
    .tail_chain = 6,
};

struct cycle_table cycles_of(uint32_t core)
{
    return core == TAKT_CORE_M0 ? m0 : m0p;
}

uint32_t cycles_fetch_wait(const struct takt_machine *m, uint32_t address)
{
    return address - FLASH_BASE < FLASH_SIZE ? m->wait_states : 0;
}
