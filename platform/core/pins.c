/*
 * Pins: what the chip drives, what the outside drives, and the level that results. The chip
 * wins over the outside (which then is short-circuited: reported), the outside over the pulls.
 * Devices on a bus with open drains pull a pin low whatever the others do. Pins joined by closed
 * switches are one wire, on which low wins (switches.c).
 */
#include "machine.h"

bool pin_exists(const struct takt_machine *m, uint32_t pin)
{
    return pin < PIN_MAX && (m->chip->pin_mask[pin / 32] >> pin % 32 & 1) != 0;
}

static void log_edges(struct takt_machine *m, uint32_t bank, uint32_t changed, uint64_t when)
{
    for (; changed != 0; changed &= changed - 1) {
        uint32_t bit = (uint32_t)__builtin_ctz(changed);
        struct takt_edge edge = {when, bank * 32 + bit, m->pins[bank].wire >> bit & 1};
        record_add(&m->edges, &edge, sizeof edge);
    }
}

static uint32_t wire_of(const struct pins *p)
{
    uint32_t outside = (p->held & p->level) | (~p->held & (p->pull_up | p->up | p->bus_up));
    return ((p->driven & p->out) | (~p->driven & outside)) & ~p->low;
}

static void become(struct takt_machine *m, uint32_t bank, uint32_t wire, uint64_t when,
                   bool by_chip)
{
    struct pins *p = &m->pins[bank];
    uint32_t changed = wire ^ p->wire;
    p->wire = wire;
    if (changed == 0)
        return;
    log_edges(m, bank, changed & (by_chip ? p->log : p->log_outside), when);
    uint32_t watched = by_chip ? changed & p->watch : 0;
    if (watched != 0) {
        uint32_t bit = (uint32_t)__builtin_ctz(watched);
        machine_stop(m, TAKT_STOP_PIN, when, (bank * 32 + bit) | (wire >> bit & 1) << 8);
    }
    m->chip->pins_changed(m, bank, changed, when);
    if ((changed & p->bus) != 0)
        i2c_follow(m, when);
    if ((changed & p->select) != 0)
        spi_follow(m);
}

/* All banks, each as they are then: what follows a pin may move another. */
static void settle_all(struct takt_machine *m, uint64_t when, bool by_chip)
{
    uint32_t wire[PIN_BANKS];
    for (uint32_t bank = 0; bank < PIN_BANKS; bank++) {
        for (uint32_t k = 0; k < PIN_BANKS; k++)
            wire[k] = wire_of(&m->pins[k]);
        switches_join(m, wire);
        become(m, bank, wire[bank], when, by_chip);
    }
}

/* A bank has been changed; with a closed switch that may move pins of any. */
static void settle(struct takt_machine *m, uint32_t bank, uint64_t when, bool by_chip)
{
    if (m->switches_closed != 0)
        settle_all(m, when, by_chip);
    else
        become(m, bank, wire_of(&m->pins[bank]), when, by_chip);
}

static void short_circuit(struct takt_machine *m)
{
    report_note(m, "a pin is driven high by one side and low by the other");
}

void pins_output(struct takt_machine *m, uint32_t bank, uint32_t driven, uint32_t out,
                 uint64_t when)
{
    struct pins *p = &m->pins[bank];
    if (driven == p->driven && ((out ^ p->out) & driven) == 0)
        return;
    p->driven = driven;
    p->out = out;
    if ((driven & ((p->held & (out ^ p->level)) | (p->low & out))) != 0)
        short_circuit(m);
    settle(m, bank, when, true);
}

void pins_pulls(struct takt_machine *m, uint32_t bank, uint32_t up, uint32_t down, uint64_t when)
{
    m->pins[bank].pull_up = up;
    m->pins[bank].pull_down = down;
    settle(m, bank, when, true);
}

/* A bus takes these pins low or lets them go; `up`: those with a pull-up outside. */
void pins_bus(struct takt_machine *m, uint32_t bank, uint32_t pins, uint32_t low, uint32_t up,
              uint64_t when)
{
    struct pins *p = &m->pins[bank];
    p->low = (p->low & ~pins) | low;
    p->bus_up = (p->bus_up & ~pins) | up;
    settle(m, bank, when, false);
}

void pins_outside(struct takt_machine *m, uint32_t pin, int64_t level, uint64_t when)
{
    struct pins *p = &m->pins[pin / 32];
    uint32_t bit = 1u << pin % 32;
    p->held = (p->held & ~bit) | (level >= 0 ? bit : 0);
    p->level = (p->level & ~bit) | (level > 0 ? bit : 0);
    if ((p->driven & p->held & (p->out ^ p->level)) != 0)
        short_circuit(m);
    settle(m, pin / 32, when, false);
}

/* A resistor outside, or none. */
void pins_pull_up(struct takt_machine *m, uint32_t pin, bool on)
{
    struct pins *p = &m->pins[pin / 32];
    uint32_t bit = 1u << pin % 32;
    p->up = (p->up & ~bit) | (on ? bit : 0);
    settle(m, pin / 32, m->now, false);
}

/* A switch has been opened or closed. */
void pins_rejoined(struct takt_machine *m, uint64_t when)
{
    settle_all(m, when, false);
}
