/*
 * Registers: those of all blocks but SIO also answer at addresses where a write sets, clears or
 * flips the bits that are one, in one access (RP2040 data sheet 2.1.2).
 */
#ifndef TAKT_HARDWARE_ADDRESS_MAPPED_H
#define TAKT_HARDWARE_ADDRESS_MAPPED_H

#include <pico/platform.h>

static inline io_rw_32 *takt_alias_(io_rw_32 *reg, uintptr_t offset)
{
    return (io_rw_32 *)((uintptr_t)reg + offset);
}

#define hw_xor_alias(reg)   takt_alias_((reg), 0x1000u)
#define hw_set_alias(reg)   takt_alias_((reg), 0x2000u)
#define hw_clear_alias(reg) takt_alias_((reg), 0x3000u)

static inline void hw_set_bits(io_rw_32 *reg, uint32_t mask)
{
    *hw_set_alias(reg) = mask;
}

static inline void hw_clear_bits(io_rw_32 *reg, uint32_t mask)
{
    *hw_clear_alias(reg) = mask;
}

static inline void hw_xor_bits(io_rw_32 *reg, uint32_t mask)
{
    *hw_xor_alias(reg) = mask;
}

/* Of other bits of the register nothing is written, whichever loop writes them meanwhile. */
static inline void hw_write_masked(io_rw_32 *reg, uint32_t values, uint32_t mask)
{
    hw_xor_bits(reg, (*reg ^ values) & mask);
}

#endif
