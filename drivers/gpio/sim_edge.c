/*
 * Pin interrupts of the simulated chip. An edge is remembered and the handler runs as soon as
 * interrupts are on; a level brings the handler back every microsecond while it lasts.
 */
#include <takt/gpio.h>
#include <takt/isr.h>
#include <takt/port.h>

#include "../../port/sim/sim.h"
#include "../sim/chip.h"

#define SOURCE 13u /* as on the pico */

static struct {
    takt_edge_fn fn;
    void *arg;
    unsigned enabled, pending; /* enum takt_edge */
    bool posted;               /* the handler is on its way */
} handlers[SIM_PINS];

static void serve(void *arg);

static void post(uint8_t pin, uint64_t at)
{
    if (!handlers[pin].posted)
        handlers[pin].posted = sim_interrupt_at(at, serve, (void *)(uintptr_t)pin);
}

static unsigned level_event(uint8_t pin)
{
    unsigned level = sim_pin_now(&sim_pins[pin]) ? TAKT_EDGE_HIGH : TAKT_EDGE_LOW;
    return level & handlers[pin].enabled;
}

static void serve(void *arg)
{
    uint8_t pin = (uint8_t)(uintptr_t)arg;
    takt_time_t at = port_now();
    handlers[pin].posted = false;
    unsigned edges = (handlers[pin].pending & handlers[pin].enabled) | level_event(pin);
    handlers[pin].pending = 0;
    if (edges == 0)
        return;
    takt_isr_enter();
    handlers[pin].fn(pin, edges, at, handlers[pin].arg);
    takt_isr_exit(SOURCE);
    if (level_event(pin))
        post(pin, sim_now() + 1);
}

void sim_edge_seen(uint8_t pin, bool level)
{
    handlers[pin].pending |= level ? TAKT_EDGE_RISE : TAKT_EDGE_FALL;
    if ((handlers[pin].pending & handlers[pin].enabled) || level_event(pin))
        post(pin, sim_now());
}

int takt_gpio_on_edge(uint8_t pin, unsigned edges, takt_edge_fn fn, void *arg)
{
    if (pin >= SIM_PINS || edges == 0 || edges > 15u || fn == NULL)
        return TAKT_EINVAL;
    port_irq_t irq = port_irq_save();
    handlers[pin].fn = fn;
    handlers[pin].arg = arg;
    handlers[pin].enabled = edges;
    handlers[pin].pending = 0;
    if (level_event(pin))
        post(pin, sim_now());
    port_irq_restore(irq);
    return TAKT_OK;
}

int takt_gpio_off_edge(uint8_t pin)
{
    if (pin >= SIM_PINS)
        return TAKT_EINVAL;
    handlers[pin].enabled = 0;
    return TAKT_OK;
}
