/*
 * Events of pins with interrupts of their own.
 *
 *   quiet --interrupt: noted, masked--> noted --take--> taken, still masked --next take--> quiet
 *                                                       taken --hold--> held, too --release--> quiet
 *
 * Edges that come from `noted` until `taken` are merged into the event; what comes after interrupts
 * as soon as the pin is quiet again. Nothing is lost and no interrupt happens except from quiet.
 */
#include <gpio/chip_gpio.h>
#include <takt/isr.h>
#include <takt/pin_events.h>
#include <takt/port.h>
#include <takt/trace.h>

#include "edges.h"

#define NO_PIN 0xFFu

/* Written with interrupts off or by the top half. */
static struct {
    struct takt_io_vcpu *io;
    takt_time_t at;
    uint8_t place;
    uint8_t merged;
} sources[TAKT_EDGE_PINS];

static uint32_t noted;              /* pins with an event not taken */
static struct takt_io_vcpu *served; /* whose pin this interrupt was for */

/* The bottom half's. */
static uint32_t passed;         /* pins that had their turn in this batch */
static uint8_t taken = NO_PIN; /* the last, still masked */

static uint8_t count(unsigned edges)
{
    return (uint8_t)((edges & TAKT_EDGE_FALL ? 1 : 0) + (edges & TAKT_EDGE_RISE ? 1 : 0));
}

static void top_half(uint8_t pin, unsigned edges, takt_time_t at, void *arg)
{
    (void)arg;
    port_irq_t irq = port_irq_save();
    sources[pin].at = at;
    sources[pin].merged = count(edges) > 1;
    noted |= takt_set_of(pin);
    served = sources[pin].io;
    takt_trace_locked(at, TAKT_EV_EVENT, served->place, chip_pin_event_source(pin));
    takt_io_raise_isr(served, sources[pin].place);
    port_irq_restore(irq);
}

void edges_exit_isr(uint8_t source)
{
    struct takt_io_vcpu *io = served;
    served = NULL;
    if (io != NULL)
        takt_io_isr_exit(io, source);
    else
        takt_isr_exit(source);
}

int chip_pin_events_on(uint8_t pin, unsigned edges, struct takt_io_vcpu *io, uint8_t place)
{
    port_irq_t irq = port_irq_save();
    int result = chip_pin_events_off(pin);
    if (result == TAKT_OK) {
        sources[pin].io = io;
        sources[pin].place = place;
        result = takt_gpio_on_event(pin, edges, top_half, NULL);
    }
    port_irq_restore(irq);
    return result;
}

int chip_pin_events_off(uint8_t pin)
{
    port_irq_t irq = port_irq_save();
    int result = takt_gpio_off_edge(pin);
    if (result == TAKT_OK)
        noted &= ~takt_set_of(pin);
    port_irq_restore(irq);
    return result;
}

/* The pin taken last interrupts again. Not if it was attached anew meanwhile and has an event. */
static void release_locked(void)
{
    if (taken != NO_PIN && !takt_set_has(noted, taken))
        takt_gpio_unmask(taken);
    taken = NO_PIN;
}

bool chip_pin_events_take(struct takt_pin_event *event)
{
    port_irq_t irq = port_irq_save();
    release_locked();
    uint32_t left = noted & ~passed;
    if (left != 0) {
        taken = takt_set_first(left);
        noted &= ~takt_set_of(taken);
        passed |= takt_set_of(taken) | (takt_set_of(taken) - 1u);
        event->pin = taken;
        event->at = sources[taken].at;
        event->merged = (uint8_t)(sources[taken].merged + count(takt_gpio_take_edges(taken)));
    } else {
        passed = 0;
    }
    port_irq_restore(irq);
    return left != 0;
}

void chip_pin_events_hold(uint8_t pin)
{
    if (taken == pin)
        taken = NO_PIN;
}

void chip_pin_events_release(uint8_t pin)
{
    port_irq_t irq = port_irq_save();
    if (!takt_set_has(noted, pin))
        takt_gpio_unmask(pin);
    port_irq_restore(irq);
}
