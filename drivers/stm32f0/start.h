/*
 * The start state of the chip as data (Ell-i thesis, 4.3): records in flash, in order of their
 * section's number, applied once after reset by takt_chip_start(). A driver adds those of its own
 * blocks; they are linked with it.
 *
 *     where: address of a register, its lowest bit set when the bits of `value` are added to what
 *            the register holds, else it becomes `value`
 */
#ifndef TAKT_STM32F0_START_H
#define TAKT_STM32F0_START_H

#include "stm32f0.h"

struct stm32f0_record {
    uint32_t where, value;
};

#define STM32F0_ADD 1u

/* id: unique in the file; order: two digits. Clocks of blocks have 20, registers 30 and up. */
#define STM32F0_START(id, order, reg, value_)                                                      \
    static const struct stm32f0_record stm32f0_start_##id                                          \
        __attribute__((used, section(".takt.init." #order))) = {(uint32_t)(uintptr_t)&(reg),       \
                                                                (value_)}
#define STM32F0_START_ADD(id, order, reg, value_)                                                  \
    static const struct stm32f0_record stm32f0_start_##id                                          \
        __attribute__((used, section(".takt.init." #order))) = {                                   \
            (uint32_t)(uintptr_t)&(reg) + STM32F0_ADD, (value_)}

#endif
