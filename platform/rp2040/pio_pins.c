/*
 * PIO: pins. Inputs come through two flip-flops, or past them (INPUT_SYNC_BYPASS): the levels of
 * the last cycles are kept. Writes of a cycle: of one machine its side-set goes over its OUT, MOV
 * or SET, of several the one with the highest number goes over the rest.
 */
#include "rp2040.h"

enum { SYNCHRONISED = 3, BYPASSED = 1 }; /* cycles from the wire to the event that sees it */

static uint32_t levels_at(const struct pio_inputs *in, uint64_t when)
{
    uint32_t k = in->last;
    for (uint32_t n = 1; n < PIO_SEEN && in->seen[k].when > when; n++)
        k = (k + PIO_SEEN - 1) % PIO_SEEN;
    return in->seen[k].levels;
}

/* All pins, as the machines of the block see them in its present cycle. */
uint32_t pio_inputs(const struct takt_machine *m, const struct pio *p)
{
    const struct pio_inputs *in = &m->soc->pio_inputs;
    uint32_t levels = levels_at(in, p->when - SYNCHRONISED);
    if (p->bypass != 0)
        levels = (levels & ~p->bypass) | (levels_at(in, p->when - BYPASSED) & p->bypass);
    return levels;
}

/* The event after `after` at which the next change is seen that has happened already. */
uint64_t pio_input_next(const struct takt_machine *m, const struct pio *p, uint64_t after)
{
    uint64_t next = TAKT_NEVER;
    for (uint32_t k = 0; k < PIO_SEEN; k++) {
        uint64_t when = m->soc->pio_inputs.seen[k].when;
        if (when + SYNCHRONISED > after && when + SYNCHRONISED < next)
            next = when + SYNCHRONISED;
        if (p->bypass != 0 && when + BYPASSED > after && when + BYPASSED < next)
            next = when + BYPASSED;
    }
    return next;
}

void pio_inputs_changed(struct takt_machine *m, uint64_t when)
{
    struct pio_inputs *in = &m->soc->pio_inputs;
    uint32_t levels = gpio_inputs(m), changed = levels ^ in->seen[in->last].levels;
    if (changed == 0)
        return;
    if (in->seen[in->last].when != when)
        in->last = (in->last + 1) % PIO_SEEN;
    in->seen[in->last] = (struct pio_seen){when, levels};
    for (unsigned n = 0; n < PIO_BLOCKS; n++) {
        struct pio *p = &m->soc->pio[n];
        for (unsigned k = 0; k < PIO_MACHINES; k++) {
            struct pio_sm *s = &p->sm[k];
            if (s->waits == PIO_PIN && (changed >> s->pin & 1) != 0)
                pio_wake_pin(m, p, s, when);
        }
    }
}

void pio_write_pins(struct pio *p, struct pio_sm *s, unsigned side, uint32_t base, uint32_t count,
                    uint32_t value)
{
    uint32_t mask = pio_mask(count);
    s->out[side] = (struct pio_write){pio_rotate(mask, base), pio_rotate(value & mask, base)};
    s->sticky[side] = s->out[side];
    p->wrote = true;
}

/* In the first cycle of an instruction, whether it waits or not. Returns the delay. */
uint32_t pio_side_set(struct pio *p, struct pio_sm *s, uint32_t instruction)
{
    uint32_t bits = pio_field(s->pinctrl, 29, 3), field = pio_field(instruction, 8, 5);
    bool optional = (s->execctrl & EXEC_SIDE_EN) != 0;
    bits = bits < 5 ? bits : 5;
    uint32_t delay = field & pio_mask(5 - bits), base = pio_field(s->pinctrl, 10, 5);
    if (s->begun || bits == 0 || (optional && (field & 16) == 0))
        return delay;
    uint32_t mask = pio_mask(optional ? bits - 1 : bits), value = field >> (5 - bits) & mask;
    s->side[(s->execctrl & EXEC_SIDE_PINDIR) != 0 ? PIO_DIRECTIONS : PIO_LEVELS] =
        (struct pio_write){pio_rotate(mask, base), pio_rotate(value, base)};
    p->wrote = true;
    return delay;
}

static void merge(uint32_t *pad, const struct pio_write *w)
{
    *pad = (*pad & ~w->mask) | w->value;
}

/* The pads after a cycle in which some machine has written. */
void pio_outputs(struct takt_machine *m, struct pio *p)
{
    uint32_t before[PIO_PAD_SIDES] = {p->pad[PIO_LEVELS], p->pad[PIO_DIRECTIONS]};
    for (unsigned k = 0; k < PIO_MACHINES; k++) {
        struct pio_sm *s = &p->sm[k];
        for (unsigned side = 0; side < PIO_PAD_SIDES; side++) {
            bool sticky = (s->execctrl & EXEC_OUT_STICKY) != 0 && s->enabled;
            merge(&p->pad[side], sticky ? &s->sticky[side] : &s->out[side]);
            merge(&p->pad[side], &s->side[side]);
            s->out[side] = s->side[side] = (struct pio_write){0, 0};
        }
    }
    if (p->pad[0] != before[0] || p->pad[1] != before[1])
        gpio_pio_outputs(m, (unsigned)(p - m->soc->pio), p->when);
}

/* Does a word of memory read pins, or execute what may? */
static bool looks(uint32_t instruction)
{
    uint32_t operand = pio_field(instruction, 5, 3);
    switch (instruction >> 13) {
    case 0: /* JMP PIN */
        return operand == 6;
    case 1: /* WAIT GPIO, PIN */
        return pio_field(instruction, 5, 2) < 2;
    case 2: /* IN PINS */
        return operand == 0;
    case 3: /* OUT EXEC */
        return operand == 7;
    case 5: /* MOV EXEC; from PINS */
        return operand == 4 || (instruction & 7) == 0;
    }
    return false;
}

/* Edges of waves and of PWM are made while a block may look at them. */
void pio_look(struct takt_machine *m, struct pio *p)
{
    bool enabled = false, reads = false, before = p->looks;
    for (unsigned k = 0; k < PIO_MACHINES; k++)
        enabled = enabled || p->sm[k].enabled;
    for (unsigned k = 0; k < 32 && enabled && !reads; k++)
        reads = looks(p->memory[k]);
    p->looks = reads;
    if (before == reads)
        return;
    wave_sync(m, m->now);
    if (m->waves != 0)
        wave_arm(m);
    gpio_refresh(m);
}

bool pio_looks(const struct takt_machine *m)
{
    return m->soc->pio[0].looks || m->soc->pio[1].looks;
}

/* May a pin's edge lead to an interrupt? */
bool pio_can_interrupt(const struct takt_machine *m)
{
    for (unsigned n = 0; n < PIO_BLOCKS; n++) {
        const struct pio *p = &m->soc->pio[n];
        for (unsigned k = 0; k < PIO_MACHINES && (p->inte[0] | p->inte[1]) != 0; k++) {
            if (p->sm[k].enabled && p->sm[k].waits == PIO_PIN)
                return true;
        }
    }
    return false;
}
