/* Interrupts: vectors, their entry, and the external ones (INTn, PCINTn). */
#include "avr.h"

#define ENTRY_CYCLES 4u

bool interrupts_masked(const struct takt_machine *m)
{
    return m->mega->cpu->sreg[S_I] == 0;
}

bool external_level(const struct takt_machine *m, unsigned n)
{
    uint32_t pin = m->mega->chip->external[n];
    return pin != NO_PIN && (m->mega->d[R_EICRA] >> 2 * n & 3) == 0 &&
           (m->pins[0].wire >> pin & 1) == 0;
}

static bool asked(const struct takt_machine *m, const struct vector *v)
{
    const uint8_t *d = m->mega->d;
    if ((d[v->enable] & v->enable_bit) == 0)
        return false;
    if ((d[v->flag] & v->flag_bit) != 0)
        return true;
    return v->flag == R_EIFR && external_level(m, (unsigned)__builtin_ctz(v->flag_bit));
}

/* The lowest number goes first. */
int interrupt_next(const struct takt_machine *m)
{
    const struct mega_chip *chip = m->mega->chip;
    for (uint32_t k = 1; k < chip->vector_count; k++) {
        if ((m->mega->forced >> k & 1) != 0 || asked(m, &chip->vector[k]))
            return (int)k;
    }
    return -1;
}

/* A RETI, which takes four cycles; simavr says so before it pops where it goes to. */
static void returned(struct avr_irq_t *irq, uint32_t value, void *context)
{
    struct takt_machine *m = context;
    avr_t *cpu = m->mega->cpu;
    uint32_t frame = _avr_sp_get(cpu) + 1u;
    (void)irq;
    (void)value;
    if (delivered_wanted(m))
        delivered_return(m, cpu->cycle + ENTRY_CYCLES, frame, frame + 2);
}

void interrupt_attach(struct takt_machine *m)
{
    avr_irq_t *irq = avr_get_interrupt_irq(m->mega->cpu, AVR_INT_ANY);
    avr_irq_register_notify(irq + AVR_INT_IRQ_RUNNING, returned, m);
}

/* simavr charges nothing: four cycles, more out of sleep. */
void interrupt_enter(struct takt_machine *m, int vector)
{
    struct mega *mega = m->mega;
    const struct vector *v = &mega->chip->vector[vector];
    avr_t *cpu = mega->cpu;
    if (_avr_sp_get(cpu) < IO_END + 1) {
        machine_fail(m, TAKT_STOP_FAULT, "the stack has run into the I/O registers, pc=0x%04x",
                     (unsigned)cpu->pc);
        return;
    }
    _avr_push_addr(cpu, cpu->pc);
    if (delivered_wanted(m))
        delivered_enter(m, m->now, _avr_sp_get(cpu) + 1u);
    avr_sreg_set(cpu, S_I, 0);
    masked_look(m, m->now, cpu->pc);
    cpu->pc = (uint32_t)vector * 4;
    if (m->sleeping)
        cpu_wake(m);
    cpu->cycle += ENTRY_CYCLES;
    m->now = cpu->cycle;
    if ((mega->forced >> vector & 1) != 0)
        mega->forced &= ~(1u << vector);
    else if (!v->kept)
        mega->d[v->flag] &= (uint8_t)~v->flag_bit;
    if (v->flag == R_EIFR || v->flag == R_PCIFR)
        wait_end(m, (unsigned)vector, m->now);
    timer_rearm(m, v->flag);
    if (v->flag == R_WDTCSR)
        watchdog_taken(m);
}

/* core/event.c: a vector pended from outside. */
void exception_pend(struct takt_machine *m, unsigned number)
{
    m->mega->forced |= 1u << (number - EXC_IRQ0);
    bus_attention(m);
}

/* Is an interrupt enabled that can end sleep? With the clocks stopped: a change of a pin, a level,
 * the watchdog. */
bool interrupt_can_come(const struct takt_machine *m, bool clocks)
{
    const uint8_t *d = m->mega->d;
    const struct mega_chip *chip = m->mega->chip;
    for (uint32_t k = 1; k < chip->vector_count; k++) {
        const struct vector *v = &chip->vector[k];
        bool outside = v->flag == R_PCIFR || v->flag == R_EIFR || v->flag == R_WDTCSR;
        if ((clocks || outside) && (d[v->enable] & v->enable_bit) != 0)
            return true;
    }
    return false;
}

static bool edge_counts(const struct takt_machine *m, unsigned n, bool rises)
{
    unsigned sense = m->mega->d[R_EICRA] >> 2 * n & 3;
    return sense == 1 || sense == (rises ? 3u : 2u);
}

static uint32_t change_mask(const struct takt_machine *m, unsigned group)
{
    uint32_t mask = m->mega->d[group < 3 ? R_PCMSK0 + group : R_PCMSK3];
    uint8_t port = m->mega->chip->change_port[group];
    return port != NO_PIN ? mask << port * 8 : 0;
}

/* A pin's interrupt is asked for, if it is not yet. */
static void ask(struct takt_machine *m, uint8_t reg, unsigned bit)
{
    const struct mega_chip *chip = m->mega->chip;
    bool fresh = (m->mega->d[reg] >> bit & 1) == 0;
    for (uint32_t k = 1; fresh && k < chip->vector_count; k++) {
        if (chip->vector[k].flag == reg && chip->vector[k].flag_bit == 1u << bit)
            wait_begin(m, k, m->now);
    }
    flag_raise(m, reg, (uint8_t)(1u << bit));
}

void external_edges(struct takt_machine *m, uint32_t changed)
{
    for (unsigned n = 0; n < 3; n++) {
        uint32_t pin = m->mega->chip->external[n];
        bool moved = pin != NO_PIN && (changed >> pin & 1) != 0;
        if (moved && edge_counts(m, n, (m->pins[0].wire >> pin & 1) != 0))
            ask(m, R_EIFR, n);
        else if (moved && external_level(m, n))
            bus_attention(m);
    }
    for (unsigned group = 0; group < 4; group++) {
        if ((changed & change_mask(m, group)) != 0)
            ask(m, R_PCIFR, group);
    }
}

/* Would an edge at the pin be noticed at once? */
bool external_matters(const struct takt_machine *m, uint32_t pin)
{
    const uint8_t *d = m->mega->d;
    for (unsigned n = 0; n < 3; n++) {
        if (m->mega->chip->external[n] == pin && (d[R_EIMSK] >> n & 1) != 0)
            return true;
    }
    for (unsigned group = 0; group < 4; group++) {
        if ((d[R_PCICR] >> group & 1) != 0 && (change_mask(m, group) >> pin & 1) != 0)
            return true;
    }
    return false;
}

static void keep(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits, uint64_t when)
{
    wave_sync(m, when);
    reg_keep(m, reg, value, bits);
    wave_arm(m);
    bus_attention(m);
}

static uint8_t flags(struct takt_machine *m, uint32_t reg, uint64_t when)
{
    wave_sync(m, when);
    return m->mega->d[reg];
}

static void clear(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits, uint64_t when)
{
    wave_sync(m, when);
    reg_flags(m, reg, value, bits, when);
}

void external_define(struct takt_machine *m)
{
    bool three = m->mega->chip->external[2] != NO_PIN;
    bool four = m->mega->chip->change_port[3] != NO_PIN;
    uint8_t lines = three ? 7 : 3, groups = four ? 15 : 7;
    reg_define(m, R_EICRA, NULL, keep, three ? 0x3f : 15);
    reg_define(m, R_EIMSK, NULL, keep, lines);
    reg_define(m, R_EIFR, flags, clear, lines);
    reg_define(m, R_PCICR, NULL, keep, groups);
    reg_define(m, R_PCIFR, flags, clear, groups);
    for (unsigned group = 0; group < 3; group++)
        reg_define(m, R_PCMSK0 + group, NULL, keep, 0xff);
    if (four)
        reg_define(m, R_PCMSK3, NULL, keep, 0xff);
}
