/*
 * Edges of pins: attachInterrupt() and pulseIn() over the pin driver's edge interrupts.
 *
 * A pin has one driver callback, `dispatch`, and any number of users: the sketch's handler, and
 * every pulseIn() under way (a list, on the callers' stacks). The events asked of the driver are
 * the union of theirs. The table and the list change with interrupts off only.
 *
 *   pulseIn:   WAITING --edge into the level--> INSIDE --edge out of it--> DONE, waiter woken
 *
 * An edge out of the level while WAITING ends a pulse that was under way at the call: ignored.
 */
#include <takt/gpio.h>
#include <takt/port.h>
#include <takt/sem.h>
#include <takt/time.h>

#include "Arduino.h"

namespace
{

struct Handler {
    void (*call)(void);
    uint8_t edges;
};

Handler handlers[NUM_DIGITAL_PINS];

enum class Pulse : uint8_t { WAITING, INSIDE, DONE };

struct PulseWait {
    PulseWait *next;
    struct takt_sem done;
    uint8_t pin;
    uint8_t into, out_of; /* takt_edge bits */
    Pulse state;
    takt_time_t start, length;
};

PulseWait *waits;

constexpr unsigned BOTH = TAKT_EDGE_RISE | TAKT_EDGE_FALL;

void finish_pulse(PulseWait &w, takt_time_t at)
{
    w.state = Pulse::DONE;
    w.length = at - w.start;
    takt_sem_signal_isr(&w.done);
}

/* Both edges in one call: the level now tells their order. */
void follow(PulseWait &w, unsigned edges, takt_time_t at)
{
    bool into = edges & w.into, out_of = edges & w.out_of;
    if (w.state == Pulse::INSIDE && out_of) {
        finish_pulse(w, at);
    } else if (w.state == Pulse::WAITING && into) {
        w.state = Pulse::INSIDE;
        w.start = at;
        bool inside = takt_gpio_read(w.pin) == (w.into == TAKT_EDGE_RISE);
        if (out_of && !inside) /* came and went before it was seen */
            finish_pulse(w, at);
    }
}

void dispatch(uint8_t pin, unsigned edges, takt_time_t at, void *)
{
    for (PulseWait *w = waits; w; w = w->next)
        if (w->pin == pin)
            follow(*w, edges, at);
    if (handlers[pin].edges & edges)
        handlers[pin].call();
}

/* Asks the driver for what the pin's users want. Interrupts off. */
int update(uint8_t pin)
{
    unsigned edges = handlers[pin].edges;
    for (const PulseWait *w = waits; w; w = w->next)
        if (w->pin == pin)
            edges |= BOTH;
    return edges ? takt_gpio_on_edge(pin, edges, dispatch, nullptr) : takt_gpio_off_edge(pin);
}

void set_handler(int interrupt, void (*call)(void), uint8_t edges)
{
    if (interrupt < 0 || interrupt >= NUM_DIGITAL_PINS)
        return;
    uint8_t pin = static_cast<uint8_t>(interrupt);
    port_irq_t irq = port_irq_save();
    handlers[pin] = {call, edges};
    update(pin);
    port_irq_restore(irq);
}

uint8_t edges_of(int mode)
{
    switch (mode) {
    case LOW:
        return TAKT_EDGE_LOW;
    case HIGH:
        return TAKT_EDGE_HIGH;
    case FALLING:
        return TAKT_EDGE_FALL;
    case RISING:
        return TAKT_EDGE_RISE;
    case CHANGE:
        return BOTH;
    }
    return 0;
}

int begin_wait(PulseWait &w)
{
    port_irq_t irq = port_irq_save();
    w.next = waits;
    waits = &w;
    int result = update(w.pin);
    port_irq_restore(irq);
    return result;
}

void end_wait(PulseWait &w)
{
    port_irq_t irq = port_irq_save();
    PulseWait **link = &waits;
    while (*link != &w)
        link = &(*link)->next;
    *link = w.next;
    update(w.pin);
    port_irq_restore(irq);
}

} // namespace

void attachInterrupt(int interrupt, void (*handler)(void), int mode)
{
    uint8_t edges = edges_of(mode);
    if (handler && edges)
        set_handler(interrupt, handler, edges);
}

void detachInterrupt(int interrupt)
{
    set_handler(interrupt, nullptr, 0);
}

unsigned long pulseIn(uint8_t pin, uint8_t level, unsigned long timeout)
{
    if (pin >= NUM_DIGITAL_PINS)
        return 0;
    uint8_t into = level ? TAKT_EDGE_RISE : TAKT_EDGE_FALL;
    uint8_t out_of = level ? TAKT_EDGE_FALL : TAKT_EDGE_RISE;
    PulseWait w = {nullptr, TAKT_SEM_BINARY_INIT(0), pin, into, out_of, Pulse::WAITING, 0, 0};
    uint32_t limit =
        timeout < TAKT_DURATION_MAX ? static_cast<uint32_t>(timeout) : TAKT_DURATION_MAX;
    if (begin_wait(w) == TAKT_OK)
        takt_sem_wait_for(&w.done, limit);
    end_wait(w);
    if (w.state != Pulse::DONE)
        return 0;
    return w.length ? w.length : 1; /* 0 means that there was none */
}

unsigned long pulseInLong(uint8_t pin, uint8_t level, unsigned long timeout)
{
    return pulseIn(pin, level, timeout);
}
