/*
 * PIO: time. A state machine is looked at in the ticks in which it does something: begins an
 * instruction, or refills its OSR. One that is not enabled has none, nor has one that waits: what
 * it waits for wakes it, for the next tick. All machines of a block that are due in a cycle see
 * what there was before it.
 *
 * Ticks are `divisor` apart, in 1/256 cycles, and happen in the cycle that holds them: so a divisor
 * of 2.5 gives 2, 3, 2, 3 cycles. The divider runs whether or not the machine is enabled.
 */
#include "rp2040.h"

uint64_t pio_divisor(const struct pio_sm *s)
{
    uint64_t divisor = s->clkdiv >> 8;
    return s->clkdiv >> 16 != 0 ? divisor : 65536u << 8;
}

/* The first tick at `from` or later. */
static uint64_t tick_from(const struct pio_sm *s, uint64_t from)
{
    uint64_t want = from << 8, divisor = pio_divisor(s);
    if (s->anchor >= want)
        return s->anchor;
    return s->anchor + (want - s->anchor + divisor - 1) / divisor * divisor;
}

/* The next event after `now`. */
static uint64_t due(const struct takt_machine *m, const struct pio *p, const struct pio_sm *s,
                    uint64_t now)
{
    uint64_t from = now + 1;
    if (s->has_written)
        return from;
    if (!s->enabled || s->waits == PIO_TX || s->waits == PIO_RX || s->waits == PIO_IRQ)
        return TAKT_NEVER;
    if (s->waits == PIO_PIN)
        from = pio_input_next(m, p, now);
    if (from == TAKT_NEVER)
        return TAKT_NEVER;
    uint64_t tick = tick_from(s, from);
    return (tick > s->ready ? tick : s->ready) >> 8;
}

static struct pio *block_of(struct takt_machine *m, const struct pio_sm *s)
{
    struct pio *first = m->soc->pio;
    return &first[s >= first[1].sm];
}

void pio_arm(struct takt_machine *m, struct pio *p)
{
    uint64_t at = TAKT_NEVER;
    for (unsigned k = 0; k < PIO_MACHINES; k++)
        at = p->sm[k].next < at ? p->sm[k].next : at;
    event_set(m, EV_PIO0 + (unsigned)(p - m->soc->pio), at);
}

/* Something has changed now: the machine looks at its next tick, in a delay as well. */
void pio_wake(struct takt_machine *m, struct pio_sm *s)
{
    uint64_t next = s->has_written ? m->now + 1 : tick_from(s, m->now + 1) >> 8;
    if (!s->enabled && !s->has_written)
        return;
    s->next = next < s->next ? next : s->next;
    pio_arm(m, block_of(m, s));
}

/* A pin has changed that the machine waits for. */
void pio_wake_pin(struct takt_machine *m, struct pio *p, struct pio_sm *s, uint64_t when)
{
    uint64_t next = due(m, p, s, when);
    s->next = next < s->next ? next : s->next;
    pio_arm(m, p);
}

void pio_wake_waiting(struct takt_machine *m, struct pio *p, enum pio_wait what)
{
    for (unsigned k = 0; k < PIO_MACHINES; k++) {
        if (p->sm[k].waits == what)
            pio_wake(m, &p->sm[k]);
    }
}

/* Ticks left of a delay. */
uint64_t pio_hold(const struct takt_machine *m, const struct pio_sm *s)
{
    uint64_t tick = tick_from(s, m->now + 1);
    if (!s->enabled)
        return s->delay;
    return s->ready > tick ? (s->ready - tick) / pio_divisor(s) : 0;
}

/* After a change of the divider or of `enabled`. */
void pio_go_on(struct takt_machine *m, struct pio_sm *s, uint64_t delay)
{
    s->delay = delay;
    s->ready = tick_from(s, m->now + 1) + delay * pio_divisor(s);
    s->waits = PIO_GOES;
    s->next = due(m, block_of(m, s), s, m->now);
}

/* The period that has begun ends as it would have. */
void pio_divider_set(struct takt_machine *m, struct pio_sm *s, uint32_t clkdiv)
{
    uint64_t delay = pio_hold(m, s);
    s->anchor = tick_from(s, m->now + 1);
    s->clkdiv = clkdiv;
    pio_go_on(m, s, delay);
}

static void look_at(struct takt_machine *m, struct pio *p, struct pio_sm *s)
{
    uint64_t tick = tick_from(s, p->when);
    bool now = s->enabled && tick >> 8 == p->when;
    if (now)
        s->anchor = tick;
    if (s->has_written || (now && tick >= s->ready))
        pio_execute(m, p, s, now ? tick : 0);
    else if (now)
        pio_refill(s);
    s->next = due(m, p, s, p->when);
}

static void flags_settle(struct pio *p)
{
    uint32_t before = p->irq;
    p->irq = (p->irq & ~p->cleared) | p->set;
    for (unsigned k = 0; k < PIO_MACHINES && p->irq != before; k++) {
        struct pio_sm *s = &p->sm[k];
        if (s->waits == PIO_IRQ && s->enabled && s->next == TAKT_NEVER)
            s->next = tick_from(s, p->when + 1) >> 8;
    }
}

void pio_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    struct pio *p = &m->soc->pio[id - EV_PIO0];
    p->when = when;
    p->set = p->cleared = 0;
    p->wrote = false;
    for (unsigned k = 0; k < PIO_MACHINES; k++) {
        if (p->sm[k].next <= when)
            look_at(m, p, &p->sm[k]);
    }
    if ((p->set | p->cleared) != 0)
        flags_settle(p);
    if (p->wrote)
        pio_outputs(m, p);
    pio_update_irqs(m, p);
    pio_arm(m, p);
}
