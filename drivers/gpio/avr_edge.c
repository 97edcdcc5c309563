/*
 * Pin interrupts of an ATmega (ATmega328P data sheet 13): each port has one, which latches that some
 * pin of a mask has changed. Apart from avr.c so that programs without them carry neither the handlers
 * nor their table.
 *
 * What came is found by comparing the port's levels with those it had when last looked at. A pulse so
 * short that its port is looked at only after it leaves no difference: it counts as both edges if
 * its pin is the only one of the port that anybody wants edges of; else it is not seen, since nothing
 * tells which pin it was. What is found is kept here, a bit a pin and kind.
 *
 * Levels do not interrupt: as long as one lasts that somebody wants, or when something found is yet to
 * be told, the alarm makes the handler run.
 */
#include <takt/isr.h>
#include <takt/pin_set.h>
#include <takt/port.h>

#include "../avr/avr_alarm.h"
#include "../avr/avr_pins.h"
#include "edges.h"

#ifdef PCIE3
#define PORTS      4u
#define FIRST_PORT 0u /* A */
#else
#define PORTS      3u
#define FIRST_PORT 1u
#endif

/* Written with interrupts off. Masks of a port's bits. */
static struct port {
    uint8_t interest; /* pins somebody may want edges of: the hardware looks at them */
    uint8_t levels;   /* when last looked at */
    uint8_t fell, rose;
    uint8_t tell_fall, tell_rise, tell_low, tell_high; /* enabled */
} ports[PORTS];

static struct avr_alarm again;

/* Port number of a pin here: its interrupt's, too. */
static uint8_t port_of(uint8_t pin)
{
    return (uint8_t)(avr_port_number(avr_pin(pin)) - FIRST_PORT);
}

static uint8_t levels_now(uint8_t n)
{
    return *(volatile uint8_t *)(uintptr_t)(0x20u + 3u * (n + FIRST_PORT));
}

/* The mask of the pins that change the latch. */
static volatile uint8_t *mask_of(uint8_t n)
{
    if (n == 3)
        return (volatile uint8_t *)(uintptr_t)0x73; /* PCMSK3 is not beside the others */
    return (volatile uint8_t *)(uintptr_t)(_SFR_MEM_ADDR(PCMSK0) + n);
}

/* Something has changed: the latch is clear, and what comes from now on is another change. */
static void compare(uint8_t n)
{
    struct port *p = &ports[n];
    uint8_t now = levels_now(n), changed = (uint8_t)((now ^ p->levels) & p->interest);
    p->levels = now;
    if (changed == 0 && (p->interest & (uint8_t)(p->interest - 1u)) == 0) {
        p->fell |= p->interest;
        p->rose |= p->interest;
    }
    p->rose |= changed & now;
    p->fell |= (uint8_t)(changed & ~now);
}

/* Takes over what the hardware has latched. */
static void collect(uint8_t n)
{
    uint8_t latch = takt_set_of(n);
    if (!(PCIFR & latch))
        return;
    PCIFR = latch;
    compare(n);
}

/* Pins with something to be told of. */
static uint8_t due(uint8_t n)
{
    const struct port *p = &ports[n];
    uint8_t is = (uint8_t)((p->fell & p->tell_fall) | (p->rose & p->tell_rise));
    if (p->tell_low | p->tell_high) {
        uint8_t now = levels_now(n);
        is |= (uint8_t)((now & p->tell_high) | (~now & p->tell_low));
    }
    return is;
}

static void serve(uint8_t group);

static void alarm_serve(struct avr_alarm *alarm)
{
    (void)alarm;
    serve(PORTS);
}

void edge_chip_pend(void)
{
    again.fn = alarm_serve;
    avr_alarm_set(&again, port_now());
}

bool edge_chip_has(uint8_t pin)
{
    return avr_pin_exists(pin) && pin < TAKT_EDGE_PINS;
}

static void put(uint8_t *mask, uint8_t bit, bool on)
{
    *mask = (uint8_t)(on ? *mask | bit : *mask & ~bit);
}

void edge_chip_enable(uint8_t pin, unsigned edges)
{
    uint8_t n = port_of(pin), bit = avr_bit(avr_pin(pin)), latch = takt_set_of(n);
    struct port *p = &ports[n];
    bool wanted = edges_of_interest(pin) != 0;
    collect(n);
    if (wanted && !(p->interest & bit)) /* new: nothing has come, and its level is known from now */
        p->levels = (uint8_t)((p->levels & ~bit) | (levels_now(n) & bit));
    put(&p->interest, bit, wanted);
    if (!wanted) {
        p->fell &= (uint8_t)~bit;
        p->rose &= (uint8_t)~bit;
    }
    put(&p->tell_fall, bit, edges & TAKT_EDGE_FALL);
    put(&p->tell_rise, bit, edges & TAKT_EDGE_RISE);
    put(&p->tell_low, bit, edges & TAKT_EDGE_LOW);
    put(&p->tell_high, bit, edges & TAKT_EDGE_HIGH);
    *mask_of(n) = p->interest;
    PCICR = (uint8_t)(p->interest ? PCICR | latch : PCICR & ~latch);
    if (due(n))
        edge_chip_pend();
}

unsigned edge_chip_latched(uint8_t pin)
{
    uint8_t n = port_of(pin), bit = avr_bit(avr_pin(pin));
    collect(n);
    if (due(n)) /* no longer in the hardware's latch, but still to be told */
        edge_chip_pend();
    return (ports[n].fell & bit ? TAKT_EDGE_FALL : 0u) | (ports[n].rose & bit ? TAKT_EDGE_RISE : 0u);
}

void edge_chip_forget(uint8_t pin, unsigned edges)
{
    struct port *p = &ports[port_of(pin)];
    uint8_t bit = avr_bit(avr_pin(pin));
    if (edges & TAKT_EDGE_FALL)
        p->fell &= (uint8_t)~bit;
    if (edges & TAKT_EDGE_RISE)
        p->rose &= (uint8_t)~bit;
}

/* What of a pin is enabled and has come or lasts. */
static unsigned due_of(uint8_t n, uint8_t bit)
{
    const struct port *p = &ports[n];
    bool high = levels_now(n) & bit;
    return (p->fell & p->tell_fall & bit ? TAKT_EDGE_FALL : 0u) |
           (p->rose & p->tell_rise & bit ? TAKT_EDGE_RISE : 0u) |
           (p->tell_low & bit && !high ? TAKT_EDGE_LOW : 0u) |
           (p->tell_high & bit && high ? TAKT_EDGE_HIGH : 0u);
}

static uint8_t pin_of(uint8_t n, uint8_t bit)
{
    uint8_t code = (uint8_t)(3u * (n + FIRST_PORT) << 3), pin = 0;
    for (; bit > 1; bit >>= 1)
        code++;
    while (avr_pin(pin) != code)
        pin++;
    return pin;
}

/* Tells of what a port has; is there more? */
static bool serve_port(uint8_t n, bool latched, takt_time_t at)
{
    if (latched)
        compare(n);
    else
        collect(n);
    uint8_t left = due(n);
    if (left == 0)
        return false;
    for (; left != 0; left &= (uint8_t)(left - 1u)) {
        uint8_t bit = (uint8_t)(left & -left);
        unsigned edges = due_of(n, bit);
        if (edges != 0)
            edges_seen_isr(pin_of(n, bit), edges, at);
    }
    return due(n) != 0;
}

/* group: whose interrupt it is, by which the hardware has cleared the latch; PORTS: nobody's. */
static void serve(uint8_t group)
{
    takt_time_t at = port_now();
    takt_isr_enter();
    bool more = false;
    for (uint8_t n = 0; n < PORTS; n++)
        if (ports[n].interest != 0 && serve_port(n, n == group, at))
            more = true;
    edges_again_isr(at);
    if (more)
        edge_chip_pend();
    edges_exit_isr(PCINT0_vect_num);
}

PORT_ISR(PCINT0)
{
    serve(0);
}

PORT_ISR(PCINT1)
{
    serve(1);
}

PORT_ISR(PCINT2)
{
    serve(2);
}

#ifdef PCINT3_vect
PORT_ISR(PCINT3)
{
    serve(3);
}
#endif
