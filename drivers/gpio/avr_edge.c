/*
 * Pin interrupts of an ATmega (ATmega328P data sheet 13): each port has one, which latches that
 * some pin of a mask has changed. Apart from avr.c so that programs without them carry neither the
 * handlers nor their table.
 *
 * What came is found by comparing the port's levels with those it had when last looked at, and kept
 * here, a bit a pin and kind. A pulse so short that its port is looked at only after it leaves no
 * difference: it counts as both edges if its pin is the only one in the mask; else it is a blur, of
 * which nothing tells what pin it was.
 *
 * So that a storm costs no more than what follows from its events:
 *   a pin not to be told of now   is in the mask only until an edge of it is known. Alone there, it
 *                                 does not interrupt: the latch is looked at when a call asks
 *   a blur                        the pin that changed last is out of the mask for BLUR_US, or
 *                                 until it is to be told of, or until another leaves the
 *                                 mask that may have been the one; then its level tells
 *   an edge of the other kind     comes before the one that is wanted, not twice
 * What such interrupts take is charged as those that tell of something (edges_vain_isr).
 *
 * Levels do not interrupt: as long as one lasts that is wanted, or when something found is yet
 * to be told, the alarm makes the handler run.
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

#define BLUR_US 4000u

/* Written with interrupts off. Masks of a port's bits. */
static struct port {
    uint8_t want_fall, want_rise; /* a call may, be it later */
    uint8_t mask;                 /* the hardware looks at these pins */
    uint8_t levels;               /* when last looked at */
    uint8_t fell, rose;           /* wanted */
    uint8_t tell_fall, tell_rise, tell_low, tell_high; /* enabled */
    uint8_t moved;                /* the last to change */
    uint8_t blurred;              /* out of the mask until the alarm */
} ports[PORTS];

static uint8_t serving; /* port + 1 that the handler is at: when it is through it aims */
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
        return (volatile uint8_t *)(uintptr_t)0x73; /* PCMSK3 is not beside the rest */
    return (volatile uint8_t *)(uintptr_t)(_SFR_MEM_ADDR(PCMSK0) + n);
}

static void serve(uint8_t group);

static void alarm_serve(struct avr_alarm *alarm)
{
    TAKT_FACT("called alarm");
    (void)alarm;
    serve(PORTS);
}

static void serve_after(uint32_t us)
{
    again.fn = alarm_serve;
    avr_alarm_set(&again, port_now() + us);
}

static void note(struct port *p, uint8_t fell, uint8_t rose)
{
    p->fell |= fell & p->want_fall;
    p->rose |= rose & p->want_rise;
}

/* The levels of some pins are looked at: those that have changed. */
static uint8_t compare(uint8_t n, uint8_t pins)
{
    struct port *p = &ports[n];
    uint8_t now = levels_now(n), changed = (uint8_t)((now ^ p->levels) & pins);
    p->levels ^= changed;
    if (changed != 0)
        p->moved = changed;
    note(p, (uint8_t)(changed & ~now), changed & now);
    return changed;
}

static bool several(uint8_t pins)
{
    return pins & (uint8_t)(pins - 1u);
}

/* An edge that the levels show already is not to be latched, too, a few cycles later. */
static void settle(uint8_t n)
{
    if ((PCIFR & takt_set_of(n)) && ((levels_now(n) ^ ports[n].levels) & ports[n].mask) == 0)
        PCIFR = takt_set_of(n);
}

/* Pins that are to be told of now. */
static uint8_t told(const struct port *p)
{
    return p->tell_fall | p->tell_rise | p->tell_low | p->tell_high;
}

/* Takes over what the hardware has latched: pins that may have changed. */
static uint8_t take_latched(uint8_t n)
{
    struct port *p = &ports[n];
    PCIFR = takt_set_of(n);
    uint8_t changed = compare(n, p->mask);
    settle(n);
    if (changed != 0)
        return changed;
    uint8_t suspects = p->moved & p->mask;
    if (!several(p->mask)) {
        note(p, p->mask, p->mask);
        return p->mask;
    }
    if (suspects == 0)
        suspects = p->mask;
    p->blurred |= suspects;
    if ((p->blurred & told(p)) != 0 && !again.set)
        serve_after(BLUR_US);
    return p->blurred;
}

/* Another mask. A pin that comes into it again may have changed meanwhile; what is latched may be
 * of one that is no longer in it, and must not be taken for another pin's. */
static void look_at(uint8_t n, uint8_t mask)
{
    struct port *p = &ports[n];
    bool gone = p->mask & ~mask, first = p->mask == 0;
    p->mask = mask;
    *mask_of(n) = mask;
    (void)compare(n, mask);
    if (gone) {
        PCIFR = takt_set_of(n);
        (void)compare(n, mask);
    }
    if (gone || first)
        settle(n);
}

/* The hardware's mask, and whether it interrupts, as what is wanted and known has it. */
static void aim(uint8_t n)
{
    struct port *p = &ports[n];
    uint8_t latch = takt_set_of(n);
    uint8_t now = told(p);
    uint8_t mask = (uint8_t)(now | ((p->want_fall | p->want_rise) & ~(p->fell | p->rose)));
    if (p->mask & ~mask)
        p->blurred = (uint8_t)(p->blurred & ~now);
    mask = (uint8_t)(mask & ~p->blurred);
    if (mask != p->mask)
        look_at(n, mask);
    bool on = (now & mask) != 0 || several(mask);
    PCICR = (uint8_t)(on ? PCICR | latch : PCICR & ~latch);
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

void edge_chip_pend(void)
{
    serve_after(0);
}

/* What is known of a port, or wanted, has changed. What the handler has yet to tell it finds. */
static void changed(uint8_t n)
{
    if (serving == n + 1u)
        return;
    aim(n);
    if (due(n))
        edge_chip_pend();
}

/* As the handler would. */
static void collect(uint8_t n)
{
    if (PCIFR & takt_set_of(n)) {
        (void)take_latched(n);
        changed(n);
    }
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
    uint8_t n = port_of(pin), bit = avr_bit(avr_pin(pin));
    struct port *p = &ports[n];
    unsigned wanted = edges_of_interest(pin);
    collect(n);
    if (!((p->mask | p->blurred | p->want_fall | p->want_rise) & bit)) /* its level is known now */
        p->levels = (uint8_t)((p->levels & ~bit) | (levels_now(n) & bit));
    put(&p->want_fall, bit, wanted & TAKT_EDGE_FALL);
    put(&p->want_rise, bit, wanted & TAKT_EDGE_RISE);
    p->fell &= p->want_fall;
    p->rose &= p->want_rise;
    put(&p->tell_fall, bit, edges & TAKT_EDGE_FALL);
    put(&p->tell_rise, bit, edges & TAKT_EDGE_RISE);
    put(&p->tell_low, bit, edges & TAKT_EDGE_LOW);
    put(&p->tell_high, bit, edges & TAKT_EDGE_HIGH);
    if (edges != 0 || wanted == 0)
        put(&p->blurred, bit, false);
    changed(n);
}

unsigned edge_chip_latched(uint8_t pin)
{
    uint8_t n = port_of(pin), bit = avr_bit(avr_pin(pin));
    collect(n);
    return (ports[n].fell & bit ? TAKT_EDGE_FALL : 0u) |
           (ports[n].rose & bit ? TAKT_EDGE_RISE : 0u);
}

void edge_chip_forget(uint8_t pin, unsigned edges)
{
    uint8_t n = port_of(pin), bit = avr_bit(avr_pin(pin));
    struct port *p = &ports[n];
    if (edges & TAKT_EDGE_FALL)
        p->fell &= (uint8_t)~bit;
    if (edges & TAKT_EDGE_RISE)
        p->rose &= (uint8_t)~bit;
    changed(n);
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
    uint8_t code = (uint8_t)(3u * (n + FIRST_PORT) << 3);
    for (; bit > 1; bit >>= 1)
        code++;
    const uint8_t *at = avr_pins;
    while (pgm_read_byte(at) != code)
        at++;
    return (uint8_t)(at - avr_pins);
}

/* Tells of what a port has. */
static void tell(uint8_t n, takt_time_t at)
{
    for (uint8_t left = due(n); left != 0; left &= (uint8_t)(left - 1u)) {
        uint8_t bit = (uint8_t)(left & -left);
        unsigned edges = due_of(n, bit);
        if (edges != 0)
            edges_seen_isr(pin_of(n, bit), edges, at);
    }
}

/* Is there more? group: whose interrupt it is, by which the hardware has cleared the latch; PORTS:
 * the alarm's. */
static bool serve_port(uint8_t n, uint8_t group, takt_time_t at)
{
    bool latched = n == group || (PCIFR & takt_set_of(n));
    if (group == PORTS)
        ports[n].blurred = (uint8_t)(ports[n].blurred & ~told(&ports[n]));
    serving = (uint8_t)(n + 1u);
    uint8_t moved = latched ? take_latched(n) : 0;
    if (due(n) != 0)
        tell(n, at);
    else if (moved != 0)
        edges_vain_isr(pin_of(n, (uint8_t)(moved & -moved)));
    serving = 0;
    aim(n);
    return due(n) != 0;
}

static void serve(uint8_t group)
{
    takt_time_t at = port_now();
    takt_isr_enter();
    bool more = false;
    for (uint8_t n = 0; n < PORTS; n++)
        if ((ports[n].mask | ports[n].blurred) != 0 && serve_port(n, group, at))
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
