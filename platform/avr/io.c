/* Registers: every access of the CPU to the I/O space comes through here. */
#include "avr.h"

uint16_t flash_word(const struct takt_machine *m, uint32_t address)
{
    const uint8_t *flash = m->mega->cpu->flash + (address & 0xffff);
    return (uint16_t)(flash[0] | flash[1] << 8);
}

void reg_define(struct takt_machine *m, uint32_t reg, reg_read *read, reg_write *write,
                uint8_t modelled)
{
    m->mega->reg[reg] = (struct reg){read, write, modelled};
}

void reg_keep(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits)
{
    m->mega->d[reg] = (uint8_t)((m->mega->d[reg] & ~bits) | (value & bits));
}

void reg_flags(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits, uint64_t when)
{
    (void)when;
    m->mega->d[reg] &= (uint8_t)~(value & bits);
}

void bus_attention(struct takt_machine *m)
{
    m->mega->cpu->run_cycle_count = 0;
}

void flag_raise(struct takt_machine *m, uint32_t reg, uint8_t bits)
{
    m->mega->d[reg] |= bits;
    bus_attention(m);
}

uint32_t code_address(const struct takt_machine *m, const struct insn *i)
{
    (void)i;
    return m->mega->cpu->pc;
}

/* In which cycle of the instruction the access is made. */
static uint64_t access_time(const struct takt_machine *m, uint16_t op)
{
    bool one = (op & 0xf000) == 0xb000 || (op & 0xfd00) == 0x9900; /* IN, OUT; SBIC, SBIS */
    return m->mega->cpu->cycle + (one ? 0 : 1);
}

static bool pushes(uint16_t op)
{
    return (op & 0xfe0f) == 0x920f || (op & 0xfe0e) == 0x940e || (op & 0xf000) == 0xd000 ||
           op == 0x9509;
}

/* Everything due happens before the access, and ends the slice sooner if it asks for that. */
static uint64_t begin(struct takt_machine *m, uint16_t op)
{
    uint64_t when = access_time(m, op);
    m->now = when;
    event_run(m, when);
    return when;
}

static void end(struct takt_machine *m)
{
    avr_t *cpu = m->mega->cpu;
    uint64_t left = m->next_event > cpu->cycle ? m->next_event - cpu->cycle : 0;
    if (left < cpu->run_cycle_count)
        cpu->run_cycle_count = left;
}

static uint8_t on_read(avr_t *cpu, avr_io_addr_t reg, void *context)
{
    struct takt_machine *m = context;
    const struct reg *r = &m->mega->reg[reg];
    uint64_t when = begin(m, flash_word(m, cpu->pc));
    uint8_t value = cpu->data[reg];
    if (r->read != NULL)
        value = r->read(m, reg, when);
    else if (r->write == NULL)
        report_access(m, "I/O", reg, reg, false, 0);
    end(m);
    return value;
}

/* SBI and CBI write one bit only; the simulator makes them read, change and write the byte. */
static uint8_t bits_written(uint16_t op)
{
    return (op & 0xfd00) == 0x9800 ? (uint8_t)(1u << (op & 7)) : 0xff;
}

static void on_write(avr_t *cpu, avr_io_addr_t reg, uint8_t value, void *context)
{
    struct takt_machine *m = context;
    const struct reg *r = &m->mega->reg[reg];
    if (break_is(m, cpu->pc)) { /* of a call or jump; see breaks.c */
        m->mega->hit = true;
        cpu->state = cpu_Stopped;
        return;
    }
    uint16_t op = flash_word(m, cpu->pc);
    if (pushes(op)) {
        machine_fail(m, TAKT_STOP_FAULT, "the stack has run into the I/O registers, pc=0x%04x",
                     (unsigned)cpu->pc);
        cpu->state = cpu_Stopped;
        return;
    }
    uint64_t when = begin(m, op);
    uint8_t bits = bits_written(op);
    store_seen(m, DATA_BASE + reg, value | (uint32_t)bits << 8, 0);
    if (r->write == NULL || (value & ~r->modelled) != 0)
        report_access(m, "I/O", reg, reg, true, value);
    if (r->write != NULL)
        r->write(m, reg, value, bits, when);
    end(m);
}

static bool plain(uint32_t reg)
{
    return reg == R_SPL || reg == R_SPH || reg == R_SREG;
}

#define ICALL       0x9509u
#define RET         0x9508u
#define CALL_CYCLES 4u /* and of RET; RCALL and ICALL take one less */
#define OUT_SPL     0xbe0du /* | register << 4 */
#define OUT_SPH     0xbe0eu

/* The low byte of the stack pointer: from OUT, which gets it last, or from a push, pop, call or return,
 * which stay on a stack. */
static void on_stack(avr_t *cpu, avr_io_addr_t reg, uint8_t value, void *context)
{
    struct takt_machine *m = context;
    cpu->data[reg] = value;
    if (m->delivered.count != 0 && (flash_word(m, cpu->pc) & 0xfe0f) == OUT_SPL)
        delivered_stack(m, cpu->cycle + 1, m->mega->sp_before + 1u, _avr_sp_get(cpu) + 1u);
}

/* The high byte: OUT gets it first. */
static void before_stack(avr_t *cpu, avr_io_addr_t reg, uint8_t value, void *context)
{
    struct takt_machine *m = context;
    if ((flash_word(m, cpu->pc) & 0xfe0f) == OUT_SPH)
        m->mega->sp_before = _avr_sp_get(cpu);
    cpu->data[reg] = value;
}

void deliver_yields(struct takt_machine *m)
{
    m->mega->cpu->io[AVR_DATA_TO_IO(R_SPH)].w.c = before_stack;
    m->mega->cpu->io[AVR_DATA_TO_IO(R_SPH)].w.param = m;
}

#define LOOKED 32u /* bytes of a stack */

bool called_from(struct takt_machine *m, uint32_t sp, uint32_t end, uint32_t low, uint32_t high)
{
    const uint8_t *data = m->mega->cpu->data;
    for (uint32_t at = sp; at + 1 < end && at < sp + LOOKED; at++) {
        uint32_t pc = 2u * (data[at + 1] | (uint32_t)data[at] << 8);
        if (pc - low >= high - low)
            continue;
        bool call = (flash_word(m, pc - 4) & 0xfe0e) == 0x940e;
        if (call || (flash_word(m, pc - 2) & 0xf000) == 0xd000) /* or RCALL */
            return true;
    }
    return false;
}

/* Where a call at the instruction that runs goes to, in bytes; ~0: it is none. */
static uint32_t call_target(const struct takt_machine *m)
{
    uint32_t pc = m->mega->cpu->pc;
    uint16_t op = flash_word(m, pc);
    if ((op & 0xfe0e) == 0x940e) /* CALL */
        return flash_word(m, pc + 2) * 2u;
    if ((op & 0xf000) == 0xd000) /* RCALL */
        return (pc + 2 + 2 * ((op & 0xfffu) ^ 0x800u) - 0x1000u) % m->flash_size;
    return op == ICALL ? 2u * (m->mega->d[R_ZL] | (uint32_t)m->mega->d[R_ZL + 1] << 8) : UINT32_MAX;
}

/* The high byte of the stack pointer: from a push, pop, call or return, which set it last. */
static void on_stack_high(avr_t *cpu, avr_io_addr_t reg, uint8_t value, void *context)
{
    struct takt_machine *m = context;
    cpu->data[reg] = value;
    uint32_t sp = _avr_sp_get(cpu) + 1u, function = call_target(m);
    uint64_t end = cpu->cycle + CALL_CYCLES;
    uint16_t op = flash_word(m, cpu->pc);
    if (function != UINT32_MAX)
        delivered_call(m, end - ((op & 0xfe0e) != 0x940e), function, sp);
    else if (op == RET)
        delivered_shorter(m, end, sp);
}

int takt_deliver_calls(struct takt_machine *m, uint32_t function)
{
    struct delivered *d = &m->delivered;
    if (d->functions == CALLS_MAX || d->count != 0)
        return -1;
    d->function[d->functions++] = function;
    m->mega->cpu->io[AVR_DATA_TO_IO(R_SPH)].w.c = on_stack_high;
    m->mega->cpu->io[AVR_DATA_TO_IO(R_SPH)].w.param = m;
    return 0;
}

/* Takes all registers from simavr's devices. */
void io_attach(struct takt_machine *m)
{
    avr_t *cpu = m->mega->cpu;
    for (uint32_t reg = IO_FIRST; reg < IO_END; reg++) {
        uint32_t k = AVR_DATA_TO_IO(reg);
        bool ours = !plain(reg);
        cpu->io[k].irq = NULL;
        cpu->io[k].r.c = ours ? on_read : NULL;
        cpu->io[k].w.c = ours ? on_write : NULL;
        cpu->io[k].r.param = cpu->io[k].w.param = ours ? m : NULL;
    }
    cpu->io[AVR_DATA_TO_IO(R_SPL)].w.c = on_stack;
    cpu->io[AVR_DATA_TO_IO(R_SPL)].w.param = m;
}
