/*
 * Switches between pins, as the keys of a keypad: closed ones make one wire of two pins.
 *
 *     column 1 --o/o-- row 1        A net is all pins that closed switches join. One driven low
 *     column 2 --o--o- row 1        makes it low, else one driven high makes it high; where none
 *                                   is driven, a pull-up does.
 *
 * Three keys of a rectangle join two columns: the fourth reads as pressed, as on a keypad without
 * diodes.
 */
#include "machine.h"

/* Pins that are one wire, by bank. */
struct net {
    uint32_t pins[PIN_BANKS];
};

static bool has(const struct net *net, uint32_t pin)
{
    return (net->pins[pin / 32] >> pin % 32 & 1) != 0;
}

static void add(struct net *net, uint32_t pin)
{
    net->pins[pin / 32] |= 1u << pin % 32;
}

static struct net net_of(const struct takt_machine *m, uint32_t pin)
{
    struct net net = {{0}};
    add(&net, pin);
    for (bool grown = true; grown;) {
        grown = false;
        for (uint32_t k = 0; k < m->switch_count; k++) {
            const struct pin_switch *s = &m->switches[k];
            if (!s->closed || has(&net, s->a) == has(&net, s->b))
                continue;
            add(&net, s->a);
            add(&net, s->b);
            grown = true;
        }
    }
    return net;
}

/* Its level; what drives a net low and what drives it high at the same time is told. */
static bool level_of(struct takt_machine *m, const struct net *net)
{
    bool low = false, high = false, bus_low = false, up = false;
    for (uint32_t k = 0; k < PIN_BANKS; k++) {
        const struct pins *p = &m->pins[k];
        uint32_t outside = p->held & ~p->driven;
        uint32_t level = (p->out & p->driven) | (p->level & outside);
        low |= ((p->driven | outside) & ~level & net->pins[k]) != 0;
        high |= (level & net->pins[k]) != 0;
        bus_low |= (p->low & net->pins[k]) != 0;
        up |= ((p->pull_up | p->up | p->bus_up) & net->pins[k]) != 0;
    }
    if (low && high)
        report_note(m, "a switch joins a pin driven high and one driven low");
    return !low && !bus_low && (high || up);
}

/* Gives the pins of each net its level. wire: by bank, as without switches. */
void switches_join(struct takt_machine *m, uint32_t wire[PIN_BANKS])
{
    for (uint32_t k = 0; k < m->switch_count; k++) {
        if (!m->switches[k].closed)
            continue;
        struct net net = net_of(m, m->switches[k].a);
        uint32_t level = level_of(m, &net) ? UINT32_MAX : 0;
        for (uint32_t bank = 0; bank < PIN_BANKS; bank++)
            wire[bank] = (wire[bank] & ~net.pins[bank]) | (level & net.pins[bank]);
    }
}

static struct pin_switch *between(struct takt_machine *m, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < m->switch_count; k++) {
        if (m->switches[k].a == a && m->switches[k].b == b)
            return &m->switches[k];
    }
    if (m->switch_count == SWITCHES)
        return NULL;
    m->switches[m->switch_count] = (struct pin_switch){a, b, false};
    return &m->switches[m->switch_count++];
}

int takt_pin_switch(struct takt_machine *m, uint32_t a, uint32_t b, int32_t closed)
{
    struct pin_switch *s = pin_exists(m, a) && pin_exists(m, b) && a != b ? between(m, a, b) : NULL;
    if (s == NULL)
        return -1;
    m->switches_closed += (uint32_t)(closed != 0) - (uint32_t)s->closed;
    s->closed = closed != 0;
    m->chip->outputs_refresh(m);
    pins_rejoined(m, m->now);
    return 0;
}
