/* The state as a list of stores that the compiler is free to make short. */
#include "state.h"

#define STORE(reg, value) (reg) = (value);
#define ADD(reg, bits)    (reg) |= (bits);

void init(void)
{
    START_STATE(STORE, ADD)
}
