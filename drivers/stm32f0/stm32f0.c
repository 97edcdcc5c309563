/*
 * What several drivers of the STM32F0 share.
 */
#include "stm32f0.h"

#include <takt/port.h>

void stm32f0_irq_enable(enum stm32f0_irq irq, uint32_t priority)
{
    stm32f0_reg *ipr = (stm32f0_reg *)(0xE000E400u + ((uint32_t)irq & ~3u));
    uint32_t shift = ((uint32_t)irq & 3u) * 8u + 6u;
    *ipr = (*ipr & ~(3u << shift)) | priority << shift;
    *(stm32f0_reg *)0xE000E280u = 1u << irq; /* drop what was pending */
    *(stm32f0_reg *)0xE000E100u = 1u << irq;
}

/* Puts `value` in place of a field of `bits` bits, the field number `index` of the register. */
static void put(stm32f0_reg *reg, unsigned index, unsigned bits, uint32_t value)
{
    unsigned shift = index * bits;
    *reg = (*reg & ~(((1u << bits) - 1u) << shift)) | value << shift;
}

void stm32f0_pin_set(uint8_t chip_pin, unsigned mode, enum stm32f0_pull pull, unsigned function)
{
    struct stm32f0_gpio *port = stm32f0_port(chip_pin);
    unsigned bit = chip_pin & 15u;
    port_irq_t irq = port_irq_save();
    put(&port->otyper, bit, 1, mode >> 2);
    put(&port->pupdr, bit, 2, pull);
    if ((mode & 3u) == STM32F0_ALTERNATE)
        put(&port->afr[bit >> 3], bit & 7u, 4, function);
    put(&port->moder, bit, 2, mode & 3u);
    port_irq_restore(irq);
}
