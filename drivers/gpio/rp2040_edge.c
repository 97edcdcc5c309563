/*
 * Pin interrupts of the RP2040. Apart from rp2040.c so that programs without them carry neither
 * the handler nor its table.
 *
 * Four enable bits a pin, eight pins a register. An edge is latched, enabled or not, until it is
 * forgotten; that is done before its function is called, so an edge during the call brings another
 * call.
 */
#include <gpio/chip_gpio.h>
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/set.h>

#include "../rp2040/rp2040.h"
#include "edges.h"

#define PINS_PER_REG 8u
#define PIN_MASK     0xFu

static uint32_t shift_of(uint8_t pin)
{
    return pin % PINS_PER_REG * 4u;
}

bool edge_chip_has(uint8_t pin)
{
    return pin < RP2040_PINS && chip_pin_has_edges(pin);
}

void edge_chip_enable(uint8_t pin, unsigned edges)
{
    static bool ready;
    rp2040_reg *inte = &RP2040_IO_BANK0->proc0.inte[pin / PINS_PER_REG];
    *inte = (*inte & ~(PIN_MASK << shift_of(pin))) | (uint32_t)edges << shift_of(pin);
    if (!ready) {
        ready = true;
        rp2040_irq_enable(RP2040_IRQ_IO_BANK0, 0);
    }
}

unsigned edge_chip_latched(uint8_t pin)
{
    return RP2040_IO_BANK0->intr[pin / PINS_PER_REG] >> shift_of(pin) & EDGES_LATCHED;
}

void edge_chip_forget(uint8_t pin, unsigned edges)
{
    RP2040_IO_BANK0->intr[pin / PINS_PER_REG] = (uint32_t)edges << shift_of(pin);
}

void edge_chip_pend(void)
{
    rp2040_irq_pend(RP2040_IRQ_IO_BANK0);
}

/* The pins of one register that have events. */
static void serve(unsigned reg, uint32_t pending, takt_time_t at)
{
    while (pending != 0) {
        uint32_t pin = takt_set_first(pending) / 4u;
        edges_seen_isr((uint8_t)(reg * PINS_PER_REG + pin), pending >> pin * 4u & PIN_MASK, at);
        pending &= ~(PIN_MASK << pin * 4u);
    }
}

void isr_io_bank0(void)
{
    takt_time_t at = port_now();
    takt_isr_enter();
    for (unsigned reg = 0; reg < 4; reg++) {
        uint32_t pending = RP2040_IO_BANK0->proc0.ints[reg];
        if (pending != 0)
            serve(reg, pending, at);
    }
    edges_again_isr(at);
    edges_exit_isr(RP2040_IRQ_IO_BANK0);
}
