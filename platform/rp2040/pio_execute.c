/*
 * PIO: instructions (datasheet 3.4). One that waits is tried again; it changes nothing before it is
 * done but the pins that it side-sets, and the flag of IRQ WAIT.
 *
 *    15 13  12  8   7 5   4  0
 *   opcode  side-   what  how many, where to
 *           set and
 *           delay
 */
#include "rp2040.h"

enum { OP_JMP, OP_WAIT, OP_IN, OP_OUT, OP_PUSH_PULL, OP_MOV, OP_IRQ, OP_SET };
enum { TO_PINS, TO_X, TO_Y, TO_NULL, TO_PINDIRS, TO_PC, TO_ISR, TO_EXEC };
enum { MOV_TO_EXEC = 4, MOV_TO_OSR = 7 };
enum { FROM_PINS, FROM_X, FROM_Y, FROM_NULL, FROM_STATUS = 5, FROM_ISR, FROM_OSR };

/* One machine in one cycle. */
struct run {
    struct takt_machine *m;
    struct pio *p;
    struct pio_sm *s;
    uint32_t number;
};

static void jump(struct pio_sm *s, uint32_t to)
{
    s->pc = to & 31;
    s->jumped = true;
}

static bool condition(const struct run *r, uint32_t which)
{
    struct pio_sm *s = r->s;
    switch (which) {
    case 1:
        return s->x == 0;
    case 2:
        return s->x-- != 0;
    case 3:
        return s->y == 0;
    case 4:
        return s->y-- != 0;
    case 5:
        return s->x != s->y;
    case 6:
        return (pio_inputs(r->m, r->p) >> pio_field(s->execctrl, 24, 5) & 1) != 0;
    case 7:
        return !pio_osr_empty(s);
    }
    return true;
}

/* Of IRQ and WAIT IRQ: bit 4 adds the machine's number to the lower two. */
static uint32_t flag(const struct run *r, uint32_t index)
{
    uint32_t low = (index & 16) != 0 ? index + r->number : index;
    return 1u << ((index & 4) | (low & 3));
}

static enum pio_wait wait(struct run *r, uint32_t source, uint32_t index)
{
    bool high = (source & 4) != 0;
    if ((source & 3) == 3) {
        report_note(r->m, "PIO: WAIT with a reserved source");
        return PIO_GOES;
    }
    if ((source & 3) == 2) {
        uint32_t bit = flag(r, index);
        if (((r->p->irq & bit) != 0) != high)
            return PIO_IRQ;
        r->p->cleared |= high ? bit : 0;
        return PIO_GOES;
    }
    uint32_t base = (source & 3) == 1 ? pio_field(r->s->pinctrl, 15, 5) : 0;
    r->s->pin = (index + base) & 31;
    return (pio_inputs(r->m, r->p) >> r->s->pin & 1) == high ? PIO_GOES : PIO_PIN;
}

static uint32_t status(const struct pio_sm *s)
{
    const struct pio_fifo *f = (s->execctrl & EXEC_STATUS_RX) != 0 ? &s->rx : &s->tx;
    return f->count < (s->execctrl & 15) ? ~0u : 0;
}

static uint32_t source_value(const struct run *r, uint32_t source, bool mov)
{
    const struct pio_sm *s = r->s;
    switch (source) {
    case FROM_PINS:
        return pio_rotate(pio_inputs(r->m, r->p), (32 - pio_field(s->pinctrl, 15, 5)) & 31);
    case FROM_X:
        return s->x;
    case FROM_Y:
        return s->y;
    case FROM_NULL:
        return 0;
    case FROM_ISR:
        return s->isr;
    case FROM_OSR:
        return s->osr;
    }
    if (source == FROM_STATUS && mov)
        return status(s);
    report_note(r->m, "PIO: IN or MOV with a reserved source");
    return 0;
}

/* OUT PINS, PINDIRS: a bit of the data may say that nothing is written. */
static void out_pins(struct run *r, unsigned side, uint32_t data)
{
    struct pio_sm *s = r->s;
    bool off = (s->execctrl & EXEC_INLINE_OUT) != 0 &&
               (data >> pio_field(s->execctrl, 19, 5) & 1) == 0;
    if (off)
        s->sticky[side] = (struct pio_write){0, 0};
    else
        pio_write_pins(r->p, s, side, pio_field(s->pinctrl, 0, 5), pio_field(s->pinctrl, 20, 6),
                       data);
}

static void latch(struct pio_sm *s, uint32_t instruction)
{
    s->latched = instruction & 0xffff;
    s->has_latched = true;
}

static void put(struct run *r, uint32_t to, uint32_t data, uint32_t bits)
{
    struct pio_sm *s = r->s;
    switch (to) {
    case TO_PINS:
        out_pins(r, PIO_LEVELS, data);
        break;
    case TO_X:
        s->x = data;
        break;
    case TO_Y:
        s->y = data;
        break;
    case TO_PINDIRS:
        out_pins(r, PIO_DIRECTIONS, data);
        break;
    case TO_PC:
        jump(s, data);
        break;
    case TO_ISR:
        s->isr = data;
        s->isr_count = bits;
        break;
    case TO_EXEC:
        latch(s, data);
        break;
    }
}

static enum pio_wait out(struct run *r, uint32_t to, uint32_t bits)
{
    uint32_t data = 0;
    enum pio_wait waits = pio_shift_out(r->p, r->s, bits, &data);
    if (waits == PIO_GOES) {
        put(r, to, data, bits);
        pio_refill(r->s);
    }
    return waits;
}

static uint32_t reversed(uint32_t value)
{
    uint32_t result = 0;
    for (unsigned k = 0; k < 32; k++)
        result |= (value >> k & 1) << (31 - k);
    return result;
}

static void mov(struct run *r, uint32_t to, uint32_t how, uint32_t source)
{
    struct pio_sm *s = r->s;
    uint32_t value = source_value(r, source, true);
    value = how == 1 ? ~value : how == 2 ? reversed(value) : value;
    if (how == 3 || to == TO_NULL)
        report_note(r->m, "PIO: MOV with a reserved operation or destination");
    if (to == MOV_TO_EXEC) {
        latch(s, value);
    } else if (to == MOV_TO_OSR) {
        s->osr = value;
        s->osr_count = 0;
    } else if (to == TO_PINS) {
        pio_write_pins(r->p, s, PIO_LEVELS, pio_field(s->pinctrl, 0, 5),
                       pio_field(s->pinctrl, 20, 6), value);
    } else {
        put(r, to, value, 0);
    }
}

static enum pio_wait irq(struct run *r, bool clear, bool waits, uint32_t index)
{
    uint32_t bit = flag(r, index);
    if (clear) {
        r->p->cleared |= bit;
    } else if (!waits || !r->s->told) {
        r->p->set |= bit;
        r->s->told = waits;
        return waits ? PIO_IRQ : PIO_GOES;
    } else if ((r->p->irq & bit) != 0) {
        return PIO_IRQ;
    }
    return PIO_GOES;
}

static void set(struct run *r, uint32_t to, uint32_t value)
{
    struct pio_sm *s = r->s;
    uint32_t base = pio_field(s->pinctrl, 5, 5), count = pio_field(s->pinctrl, 26, 3);
    if (to == TO_X)
        s->x = value;
    else if (to == TO_Y)
        s->y = value;
    else if (to == TO_PINS || to == TO_PINDIRS)
        pio_write_pins(r->p, s, to == TO_PINS ? PIO_LEVELS : PIO_DIRECTIONS, base, count, value);
    else
        report_note(r->m, "PIO: SET with a reserved destination");
}

static enum pio_wait instruction(struct run *r, uint32_t op)
{
    uint32_t what = pio_field(op, 5, 3), low = op & 31;
    switch (op >> 13) {
    case OP_JMP:
        if (condition(r, what))
            jump(r->s, low);
        break;
    case OP_WAIT:
        return wait(r, what, low);
    case OP_IN:
        return pio_in(r->p, r->s, source_value(r, what, false), pio_count(low));
    case OP_OUT:
        return out(r, what, pio_count(low));
    case OP_PUSH_PULL:
        return ((what & 4) != 0 ? pio_pull_osr : pio_push_isr)(r->p, r->s, (what & 2) != 0,
                                                               (what & 1) != 0);
    case OP_MOV:
        mov(r, what, low >> 3, low & 7);
        break;
    case OP_IRQ:
        return irq(r, (what & 2) != 0, (what & 1) != 0, low);
    case OP_SET:
        set(r, what, low);
        break;
    }
    return PIO_GOES;
}

/* What was written to SMx_INSTR goes first, then what EXEC has latched, then the memory. */
static uint32_t next_instruction(const struct pio *p, struct pio_sm *s)
{
    if (s->has_written) {
        s->latched = s->written;
        s->has_latched = s->forced = true;
        s->has_written = s->begun = s->told = false;
    }
    return s->has_latched ? s->latched : p->memory[s->pc];
}

static void advance(struct pio_sm *s)
{
    uint32_t top = pio_field(s->execctrl, 12, 5), bottom = pio_field(s->execctrl, 7, 5);
    s->pc = s->pc == top ? bottom : (s->pc + 1) & 31;
}

void pio_execute(struct takt_machine *m, struct pio *p, struct pio_sm *s, uint64_t tick)
{
    struct run r = {m, p, s, (uint32_t)(s - p->sm)};
    uint32_t op = next_instruction(p, s);
    bool beside = s->has_latched, forced = s->forced;
    s->has_latched = s->jumped = false;
    uint64_t delay = pio_side_set(p, s, op);
    s->begun = true;
    s->waits = instruction(&r, op);
    if (tick != 0)
        pio_refill(s);
    if (s->waits != PIO_GOES) {
        s->has_latched = beside;
        return;
    }
    s->begun = s->told = s->forced = false;
    if (!beside && !s->jumped)
        advance(s);
    if (!forced)
        s->ready = tick + (1 + (s->has_latched ? 0 : delay)) * pio_divisor(s);
}
