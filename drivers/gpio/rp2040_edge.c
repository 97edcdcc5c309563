/*
 * Pin interrupts of the RP2040. Apart from rp2040.c so that programs without them carry neither
 * the handler nor its table.
 *
 * Four enable bits a pin, eight pins a register. An edge is latched until acknowledged; it is
 * acknowledged before its function is called, so an edge during the call brings another call.
 */
#include <takt/gpio.h>
#include <takt/isr.h>
#include <takt/port.h>

#include "../rp2040/rp2040.h"

#define PINS_PER_REG 8u
#define PIN_MASK     0xFu

static struct {
    takt_edge_fn fn;
    void *arg;
} handlers[RP2040_PINS]; /* written with interrupts off, read by the handler */

static void enable_locked(uint8_t pin, unsigned edges)
{
    rp2040_reg *inte = &RP2040_IO_BANK0->proc0.inte[pin / PINS_PER_REG];
    uint32_t shift = pin % PINS_PER_REG * 4u;
    *inte &= ~(PIN_MASK << shift);
    RP2040_IO_BANK0->intr[pin / PINS_PER_REG] = PIN_MASK << shift; /* forget old edges */
    *inte |= (uint32_t)edges << shift;
}

int takt_gpio_on_edge(uint8_t pin, unsigned edges, takt_edge_fn fn, void *arg)
{
    static bool ready;
    if (pin >= RP2040_PINS || edges == 0 || edges > PIN_MASK || fn == NULL)
        return TAKT_EINVAL;

    port_irq_t irq = port_irq_save();
    handlers[pin].fn = fn;
    handlers[pin].arg = arg;
    enable_locked(pin, edges);
    if (!ready) {
        ready = true;
        rp2040_irq_enable(RP2040_IRQ_IO_BANK0, 0);
    }
    port_irq_restore(irq);
    return TAKT_OK;
}

int takt_gpio_off_edge(uint8_t pin)
{
    if (pin >= RP2040_PINS)
        return TAKT_EINVAL;
    port_irq_t irq = port_irq_save();
    enable_locked(pin, 0);
    handlers[pin].fn = NULL; /* its event may be in what serve() is working through */
    port_irq_restore(irq);
    return TAKT_OK;
}

/* Calls the functions of the pins of one register that have events. */
static void serve(unsigned reg, uint32_t pending, takt_time_t at)
{
    RP2040_IO_BANK0->intr[reg] = pending; /* levels are not latched and ignore this */
    for (uint8_t pin = (uint8_t)(reg * PINS_PER_REG); pending != 0; pin++, pending >>= 4)
        if ((pending & PIN_MASK) && handlers[pin].fn != NULL)
            handlers[pin].fn(pin, pending & PIN_MASK, at, handlers[pin].arg);
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
    takt_isr_exit(RP2040_IRQ_IO_BANK0);
}
