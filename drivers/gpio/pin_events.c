/*
 * Events of pins with interrupts of their own.
 *
 *   quiet --interrupt: noted, masked--> noted --take--> taken, still masked --next take--> quiet
 *                                                       taken --hold--> held --release--> quiet
 *
 * Edges that come from `noted` until `taken` are merged into the event; what comes after interrupts
 * as soon as the pin is quiet again. Nothing is lost and no interrupt happens except from quiet,
 * and only the bottom half makes a pin quiet: a pin set anew, or no more, while it has an event
 * stays masked until the bottom half has dropped that.
 */
#include <gpio/chip_gpio.h>
#include <takt/isr.h>
#include <takt/pin_events.h>
#include <takt/create.h>
#include <takt/pin_set.h>
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

static takt_pins_t noted;           /* pins with an event not taken */
static takt_pins_t dropped;         /* among them: not wanted any more */
static takt_pins_t held;            /* pins held */
static struct takt_io_vcpu *served; /* whose pin this interrupt was for */

/* The bottom half's. */
static takt_pins_t passed;     /* pins that had their turn in this batch */
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
    takt_pins_add(&noted, takt_pins_of(pin));
    served = sources[pin].io;
    takt_trace_locked(at, TAKT_EV_EVENT, served->place, chip_pin_event_source(pin));
    takt_io_raise_isr(served, sources[pin].place);
    port_irq_restore(irq);
}

/* The pin's handler pays for what it causes. */
void edges_vain_isr(uint8_t pin)
{
    if (served == NULL)
        served = sources[pin].io;
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

/* What the pin has is not wanted: the bottom half will find that out. */
static void drop_locked(uint8_t pin)
{
    takt_pins_t bit = takt_pins_of(pin);
    if (held & bit) {
        takt_pins_remove(&held, bit);
        takt_pins_add(&noted, bit);
        takt_io_raise_isr(sources[pin].io, sources[pin].place);
    }
    takt_pins_add(&dropped, noted & bit);
}

#if TAKT_DYNAMIC
void takt_pins_shift_locked(uint8_t place)
{
    for (uint8_t pin = 0; pin < TAKT_EDGE_PINS; pin++)
        takt_shift_place(&sources[pin].place, place);
}
#endif

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
        drop_locked(pin);
    port_irq_restore(irq);
    return result;
}

/* The pin taken last interrupts again. */
static void release_locked(void)
{
    if (taken != NO_PIN)
        takt_gpio_unmask(taken);
    taken = NO_PIN;
}

/* Takes the next pin of the batch; NO_PIN: there is none, and another batch begins. */
static uint8_t take_locked(void)
{
    takt_pins_t left = noted & (takt_pins_t)~passed;
    release_locked();
    if (left == 0) {
        passed = 0;
        return NO_PIN;
    }
    taken = takt_pins_first(left);
    takt_pins_remove(&noted, takt_pins_of(taken));
    takt_pins_add(&passed, takt_pins_of(taken));
    takt_pins_add(&passed, (takt_pins_t)(takt_pins_of(taken) - 1u));
    return taken;
}

bool chip_pin_events_take(struct takt_pin_event *event)
{
    for (;;) {
        port_irq_t irq = port_irq_save();
        uint8_t pin = take_locked();
        bool wanted = pin != NO_PIN && !takt_pins_has(dropped, pin);
        if (wanted) {
            event->pin = pin;
            event->at = sources[pin].at;
            event->merged = (uint8_t)(sources[pin].merged + count(takt_gpio_take_edges(pin)));
        } else if (pin != NO_PIN) {
            takt_pins_remove(&dropped, takt_pins_of(pin));
        }
        port_irq_restore(irq);
        if (wanted || pin == NO_PIN)
            return wanted;
    }
}

void chip_pin_events_hold(uint8_t pin)
{
    port_irq_t irq = port_irq_save();
    if (taken == pin) {
        takt_pins_add(&held, takt_pins_of(pin));
        taken = NO_PIN;
    }
    port_irq_restore(irq);
}

void chip_pin_events_release(uint8_t pin)
{
    port_irq_t irq = port_irq_save();
    if (takt_pins_has(held, pin))
        takt_gpio_unmask(pin);
    takt_pins_remove(&held, takt_pins_of(pin));
    port_irq_restore(irq);
}
