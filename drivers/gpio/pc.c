/*
 * Pins of a PC, see pc.h.
 */
#include <takt/gpio.h>
#include <takt/port.h>
#include <x86.h>

#include "../clock/pc_stop.h"
#include "pc.h"

struct pc_pins takt_pins;

#pragma weak pc_edges_seen /* there only if the program uses pin interrupts */

uint32_t pc_pins_now(void)
{
    uint32_t pulled = ~takt_pins.driven & takt_pins.pull_up;
    uint32_t inputs = (takt_pins.driven & takt_pins.level) | pulled;
    return (takt_pins.output & takt_pins.out) | (~takt_pins.output & inputs);
}

/* It stops at watched pins, and when the record is full. */
static void record(uint8_t pin, bool level, bool changed)
{
    takt_pins.changes[takt_pins.written % PC_CHANGES] =
        (struct pc_change){.at = x86_ticks(), .pin = pin, .level = level, .changed = changed};
    takt_pins.written++;
    if (takt_pins.written - takt_pins.read == PC_CHANGES)
        pc_stop(PC_STOP_PIN);
}

/* What has become of a pin. Interrupts off. */
static void changed_locked(uint8_t pin, uint32_t before)
{
    uint32_t bit = 1u << pin, now = pc_pins_now(), changed = (before ^ now) & bit;
    bool output = takt_pins.output & bit;
    if (pc_edges_seen && changed)
        pc_edges_seen(changed & before, changed & now);
    if (output && ((changed & takt_pins.logged) || (bit & takt_pins.all)))
        record(pin, now & bit, changed);
    if (output && (changed & takt_pins.watched))
        pc_stop(PC_STOP_PIN);
}

static uint32_t with(uint32_t bits, uint32_t bit, bool on)
{
    return on ? bits | bit : bits & ~bit;
}

int takt_gpio_mode(uint8_t pin, enum takt_gpio_mode mode)
{
    if (pin >= PC_PINS || (unsigned)mode > TAKT_GPIO_INPUT_PULLDOWN)
        return TAKT_EINVAL;
    port_irq_t irq = port_irq_save();
    uint32_t before = pc_pins_now(), bit = 1u << pin;
    takt_pins.output = with(takt_pins.output, bit, mode == TAKT_GPIO_OUTPUT);
    takt_pins.pull_up = with(takt_pins.pull_up, bit, mode == TAKT_GPIO_INPUT_PULLUP);
    changed_locked(pin, before);
    port_irq_restore(irq);
    return TAKT_OK;
}

int takt_gpio_write(uint8_t pin, bool high)
{
    if (pin >= PC_PINS)
        return TAKT_EINVAL;
    port_irq_t irq = port_irq_save();
    uint32_t before = pc_pins_now();
    takt_pins.out = with(takt_pins.out, 1u << pin, high);
    changed_locked(pin, before);
    port_irq_restore(irq);
    return TAKT_OK;
}

int takt_gpio_read(uint8_t pin)
{
    return pin < PC_PINS ? (int)(pc_pins_now() >> pin & 1u) : TAKT_EINVAL;
}
