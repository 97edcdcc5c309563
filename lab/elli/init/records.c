/* The state as records of 8 bytes, as the board stm32f051 has it (drivers/stm32f0/start.h). */
#include "state.h"

struct record {
    uint32_t where, value;
};

#define STORE(reg, value) {(uint32_t)&(reg), (value)},
#define ADD(reg, bits)    {(uint32_t)&(reg) + 1u, (bits)},

static const struct record state[] = {START_STATE(STORE, ADD)};

void init(void)
{
    for (const struct record *r = state; r != state + sizeof state / sizeof state[0]; r++) {
        stm32f0_reg *reg = (stm32f0_reg *)(r->where & ~1u);
        uint32_t value = r->value;
        if (r->where & 1u)
            value |= *reg;
        *reg = value;
    }
}
