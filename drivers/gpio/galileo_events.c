/*
 * Events of the galileo's pins. Fast pins have interrupts of their own (pin_events.c); all the rest
 * share the expander's INT, which is one more such pin:
 *
 *   a pin changes --> INT high --top half: masks INT--> bottom half takes INT
 *      --I2C: changed?, INT low; levels?--> one event a pin --> unmasks INT
 *
 * The expander tells which pins have changed since it was last asked, and what level they have now.
 * A pin that has changed and has the level it had before has had both edges. So no edge is lost;
 * one more than there was may be reported when a pin changes twice within the time that asking
 * takes.
 *
 * A call that asks gets the changes of all pins, so what is found is kept in `due` until the bottom
 * half takes it. When another thread has asked (to begin with a clean slate for a pin), INT may
 * never have been seen high: it is then made to interrupt whatever its level (`prod`).
 */
#include <gpio/chip_gpio.h>
#include <takt/pin_events.h>
#include <takt/port.h>

#include "galileo_expander.h"

#define BOTH_EDGES ((unsigned)(TAKT_EDGE_RISE | TAKT_EDGE_FALL))

/* Written with interrupts off, by threads. */
static struct {
    uint8_t edges; /* wanted; 0: not attached */
    uint8_t place;
    uint8_t merged; /* with the event that is due */
} lines[GALILEO_DIGITAL_PINS];

static uint8_t known[CY8C9540A_PORTS]; /* levels of attached pins at their last change */
static uint16_t due;                   /* pins with an event */
static struct takt_io_vcpu *served;

static bool prod;

static uint16_t batch; /* what the bottom half has yet to tell */
static takt_time_t batch_at;

static uint16_t bit_of(uint8_t pin)
{
    return (uint16_t)(1u << pin);
}

/* Ports of attached pins, from the first to the last; whether their levels matter. */
struct span {
    uint8_t first, count;
    bool levels;
};

static struct span span_of_attached(void)
{
    struct span span = {0, 0, false};
    uint8_t end = 0;
    for (uint8_t pin = 0; pin < GALILEO_DIGITAL_PINS; pin++) {
        uint8_t port = galileo_pins[pin].port;
        if (lines[pin].edges == 0)
            continue;
        if (end == 0 || port < span.first)
            span.first = port;
        if (port >= end)
            end = (uint8_t)(port + 1u);
        span.levels |= lines[pin].edges != BOTH_EDGES;
    }
    span.count = (uint8_t)(end - span.first);
    return span;
}

/* What a pin that has changed has seen, from its level before and now. */
static unsigned edges_between(bool before, bool now)
{
    if (before == now)
        return BOTH_EDGES;
    return now ? TAKT_EDGE_RISE : TAKT_EDGE_FALL;
}

static void note_locked(uint8_t pin, bool before, bool now)
{
    unsigned seen = edges_between(before, now) & lines[pin].edges;
    if (seen == 0)
        return;
    unsigned more = (seen == BOTH_EDGES ? 1u : 0u) + (due & bit_of(pin) ? 1u : 0u);
    if (lines[pin].merged + more <= UINT8_MAX)
        lines[pin].merged = (uint8_t)(lines[pin].merged + more);
    due |= bit_of(pin);
}

/* Takes in what the expander said of a pin. Only a call that got its change may follow with
 * `known`: the level may be newer than the status, and then belongs to the next change. */
static void take_in_locked(uint8_t pin, bool changed, bool now)
{
    uint8_t *levels = &known[galileo_pins[pin].port], mask = (uint8_t)(1u << galileo_pins[pin].bit);
    if (changed)
        note_locked(pin, *levels & mask, now);
    if (changed || lines[pin].edges == 0)
        *levels = (uint8_t)((*levels & ~mask) | (now ? mask : 0u));
}

/* Asks the expander and notes what has happened. Where levels do not matter, any change is both an
 * event and the opposite of the level before. */
static int look(struct span span)
{
    uint8_t changed[CY8C9540A_PORTS], levels[CY8C9540A_PORTS];
    int result = cy8c9540a_changed(&galileo_expander, span.first, span.count, changed);
    if (result == TAKT_OK && span.levels)
        result = cy8c9540a_levels(&galileo_expander, span.first, span.count, levels);
    if (result != TAKT_OK)
        return result;

    port_irq_t irq = port_irq_save();
    for (uint8_t pin = 0; pin < GALILEO_DIGITAL_PINS; pin++) {
        uint8_t port = galileo_pins[pin].port, bit = galileo_pins[pin].bit;
        uint8_t i = (uint8_t)(port - span.first);
        if (i >= span.count)
            continue;
        uint8_t now = span.levels ? levels[i] : (uint8_t)~known[port];
        take_in_locked(pin, changed[i] >> bit & 1u, now >> bit & 1u);
    }
    port_irq_restore(irq);
    return TAKT_OK;
}

static uint8_t most_urgent(void)
{
    uint8_t place = TAKT_NOBODY;
    for (uint8_t pin = 0; pin < GALILEO_DIGITAL_PINS; pin++)
        if (lines[pin].edges != 0 && lines[pin].place < place)
            place = lines[pin].place;
    return place;
}

/* INT interrupts for the pins attached now; at once if something is due. */
static void arm(void)
{
    port_irq_t irq = port_irq_save();
    uint8_t place = most_urgent();
    prod = due != 0;
    unsigned levels = TAKT_EDGE_HIGH | (prod ? TAKT_EDGE_LOW : 0u);
    if (place == TAKT_NOBODY)
        (void)chip_pin_events_off(GALILEO_INT);
    else
        (void)chip_pin_events_on(GALILEO_INT, levels, served, place);
    port_irq_restore(irq);
}

static void detach(uint8_t pin)
{
    port_irq_t irq = port_irq_save();
    lines[pin].edges = 0;
    lines[pin].merged = 0;
    due &= (uint16_t)~bit_of(pin);
    batch &= (uint16_t)~bit_of(pin);
    port_irq_restore(irq);
}

static int attach(uint8_t pin, unsigned edges, struct takt_io_vcpu *io, uint8_t place)
{
    (void)chip_gpio_mode(GALILEO_INT, TAKT_GPIO_INPUT_PULLDOWN);
    struct span own = {galileo_pins[pin].port, 1, true};
    int result = cy8c9540a_start(&galileo_expander, own.first);
    if (result == TAKT_OK)
        result = look(own); /* what happened before does not count */
    if (result != TAKT_OK)
        return result;
    port_irq_t irq = port_irq_save();
    lines[pin].edges = (uint8_t)edges;
    lines[pin].place = place;
    served = io;
    port_irq_restore(irq);
    return cy8c9540a_watch(&galileo_expander, galileo_pins[pin].port, galileo_pins[pin].bit, true);
}

int takt_pin_events_on(uint8_t pin, unsigned edges, struct takt_io_vcpu *io, uint8_t place)
{
    if (galileo_is_fast(pin))
        return chip_pin_events_on(pin, edges, io, place);
    if (pin >= GALILEO_DIGITAL_PINS || edges == 0 || (edges & ~BOTH_EDGES))
        return TAKT_EINVAL;
    if (!galileo_may_wait())
        return TAKT_ECONTEXT;
    int result = takt_pin_events_off(pin);
    if (result == TAKT_OK)
        result = attach(pin, edges, io, place);
    if (result != TAKT_OK)
        detach(pin);
    arm();
    return result;
}

int takt_pin_events_off(uint8_t pin)
{
    if (galileo_is_fast(pin))
        return chip_pin_events_off(pin);
    if (pin >= GALILEO_DIGITAL_PINS)
        return TAKT_EINVAL;
    if (lines[pin].edges == 0)
        return TAKT_OK;
    if (!galileo_may_wait())
        return TAKT_ECONTEXT;
    detach(pin);
    arm();
    return cy8c9540a_watch(&galileo_expander, galileo_pins[pin].port, galileo_pins[pin].bit, false);
}

/* INT was taken: finds out whose it is. When the expander does not answer, INT is still high and
 * brings the next attempt. */
static void begin_batch(takt_time_t at)
{
    (void)look(span_of_attached());
    port_irq_t irq = port_irq_save();
    batch = due;
    due = 0;
    batch_at = at;
    if (prod)
        arm();
    port_irq_restore(irq);
}

/* The next pin of the batch; a pin may be detached meanwhile. */
static bool tell(struct takt_pin_event *event)
{
    port_irq_t irq = port_irq_save();
    bool found = batch != 0;
    if (found) {
        uint8_t pin = takt_set_first(batch);
        batch &= (uint16_t)(batch - 1u);
        *event = (struct takt_pin_event){pin, lines[pin].merged, batch_at};
        lines[pin].merged = 0;
    }
    port_irq_restore(irq);
    return found;
}

bool takt_pin_events_take(struct takt_pin_event *event)
{
    while (!tell(event)) {
        if (!chip_pin_events_take(event))
            return false;
        if (event->pin != GALILEO_INT)
            return true;
        begin_batch(event->at);
    }
    return true;
}

/* The expander's pins share INT: their interrupts wait for I2C, which is slow enough. */
void takt_pin_events_hold(uint8_t pin)
{
    if (galileo_is_fast(pin))
        chip_pin_events_hold(pin);
}

void takt_pin_events_release(uint8_t pin)
{
    if (galileo_is_fast(pin))
        chip_pin_events_release(pin);
}
