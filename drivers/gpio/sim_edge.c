/*
 * Pin interrupts of the simulated chip. An edge is remembered and the handler runs as soon as
 * interrupts are on; a level brings the handler back every microsecond while it lasts.
 */
#include <takt/isr.h>
#include <takt/port.h>

#include "../../port/sim/sim.h"
#include "../sim/chip.h"
#include "edges.h"

#define SOURCE 13u /* as on the pico */

static struct {
    unsigned enabled, latched; /* enum takt_edge */
    bool posted;               /* the handler is on its way */
} pins[SIM_PINS];

static unsigned pending(uint8_t pin)
{
    unsigned level = sim_pin_now(&sim_pins[pin]) ? TAKT_EDGE_HIGH : TAKT_EDGE_LOW;
    return (pins[pin].latched | level) & pins[pin].enabled;
}

static void serve(void *arg);

static void post(uint8_t pin, uint64_t at)
{
    if (pending(pin) && !pins[pin].posted)
        pins[pin].posted = sim_interrupt_at(at, serve, (void *)(uintptr_t)pin);
}

static void serve(void *arg)
{
    uint8_t pin = (uint8_t)(uintptr_t)arg;
    takt_time_t at = port_now();
    unsigned edges = pending(pin);
    pins[pin].posted = false;
    if (edges == 0)
        return;
    takt_isr_enter();
    edges_seen_isr(pin, edges, at);
    edges_exit_isr(SOURCE);
    post(pin, sim_now() + 1);
}

static void serve_again(void *arg)
{
    (void)arg;
    takt_isr_enter();
    edges_again_isr(port_now());
    edges_exit_isr(SOURCE);
}

void sim_edge_seen(uint8_t pin, bool level)
{
    pins[pin].latched |= level ? TAKT_EDGE_RISE : TAKT_EDGE_FALL;
    post(pin, sim_now());
}

bool edge_chip_has(uint8_t pin)
{
    return pin < SIM_PINS;
}

void edge_chip_enable(uint8_t pin, unsigned edges)
{
    pins[pin].enabled = edges;
    post(pin, sim_now());
}

unsigned edge_chip_latched(uint8_t pin)
{
    return pins[pin].latched;
}

void edge_chip_forget(uint8_t pin, unsigned edges)
{
    pins[pin].latched &= ~edges;
}

void edge_chip_pend(void)
{
    (void)sim_interrupt_at(sim_now(), serve_again, NULL);
}
