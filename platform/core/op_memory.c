/*
 * Loads and stores. RAM is handled inline; flash, registers and faults take the slow path,
 * which gets the address in m->addr.
 */
#include <string.h>

#include "ops.h"

static inline bool in_ram(const struct takt_machine *m, uint32_t off, uint32_t size)
{
    return off < m->ram_size && (off & (size - 1)) == 0;
}

static inline uint32_t flash_value(const struct takt_machine *m, uint32_t off, uint32_t size)
{
    uint32_t value = 0;
    memcpy(&value, m->flash + off, size);
    return value;
}

/* One access off the fast path; sets m->fault when it fails. */
static uint32_t load_slowly(struct takt_machine *m, uint32_t address, uint32_t size)
{
    m->bus_extra = 0;
    if ((address & (size - 1)) != 0) {
        m->fault = FAULT_UNALIGNED;
        m->fault_address = address;
        return 0;
    }
    if (mpu_denies(m, address, false)) {
        m->fault = FAULT_MPU;
        m->fault_address = address;
        return 0;
    }
    uint32_t off = address - m->flash_base;
    if (off < m->flash_size) {
        m->bus_extra = (int32_t)cycles_load_wait(m, address);
        return flash_value(m, off, size);
    }
    m->bus_fault = false;
    uint32_t value = bus_read(m, address, size);
    if (m->bus_fault) {
        m->fault = FAULT_BUS;
        m->fault_address = address;
    }
    return value;
}

static void store_slowly(struct takt_machine *m, uint32_t address, uint32_t value, uint32_t size)
{
    m->bus_extra = 0;
    m->bus_fault = (address & (size - 1)) != 0;
    m->fault_address = address;
    if (m->bus_fault) {
        m->fault = FAULT_UNALIGNED;
        return;
    }
    if (mpu_denies(m, address, true)) {
        m->fault = FAULT_MPU;
        return;
    }
    bus_write(m, address, value, size);
    if (m->bus_fault)
        m->fault = FAULT_BUS;
}

#define LOAD_SLOW(name, type, size)                                                                \
    static void slow_##name(ARGS)                                                                  \
    {                                                                                              \
        sync(m, i, cy);                                                                            \
        uint32_t value = load_slowly(m, m->addr, size);                                            \
        if (m->fault != FAULT_NONE)                                                                \
            return leave_fault(PASS);                                                              \
        m->r[i->a] = (uint32_t)(type)value;                                                        \
        cy += COST_AND(i, m->bus_extra);                                                           \
        NEXT;                                                                                      \
    }

LOAD_SLOW(ldr, uint32_t, 4)
LOAD_SLOW(ldrh, uint16_t, 2)
LOAD_SLOW(ldrb, uint8_t, 1)
LOAD_SLOW(ldrsh, int16_t, 2)
LOAD_SLOW(ldrsb, int8_t, 1)

#define LOAD(name, kind, type, size, address)                                                      \
    void op_##name(ARGS)                                                                           \
    {                                                                                              \
        uint32_t addr = (address), off = addr - RAM_BASE;                                          \
        if (__builtin_expect(in_ram(m, off, size), 1)) {                                           \
            type value;                                                                            \
            memcpy(&value, m->ram + off, size);                                                    \
            m->r[i->a] = (uint32_t)value;                                                          \
            cy += COST(i);                                                                         \
            NEXT;                                                                                  \
        }                                                                                          \
        m->addr = addr;                                                                            \
        return slow_##kind(PASS);                                                                  \
    }

#define AT_IMM (m->r[i->b] + i->imm)
#define AT_REG (m->r[i->b] + m->r[i->imm])

LOAD(ldr_i, ldr, uint32_t, 4, AT_IMM)
LOAD(ldrh_i, ldrh, uint16_t, 2, AT_IMM)
LOAD(ldrb_i, ldrb, uint8_t, 1, AT_IMM)
LOAD(ldr_r, ldr, uint32_t, 4, AT_REG)
LOAD(ldrh_r, ldrh, uint16_t, 2, AT_REG)
LOAD(ldrb_r, ldrb, uint8_t, 1, AT_REG)
LOAD(ldrsh_r, ldrsh, int16_t, 2, AT_REG)
LOAD(ldrsb_r, ldrsb, int8_t, 1, AT_REG)
LOAD(ldr_a, ldr, uint32_t, 4, i->imm)

#define STORE(name, type, size, address)                                                           \
    static void slow_##name(ARGS)                                                                  \
    {                                                                                              \
        sync(m, i, cy);                                                                            \
        store_slowly(m, m->addr, (type)m->r[i->a], size);                                          \
        if (m->fault != FAULT_NONE)                                                                \
            return leave_fault(PASS);                                                              \
        cy += COST_AND(i, m->bus_extra);                                                           \
        NEXT;                                                                                      \
    }                                                                                              \
    void op_##name(ARGS)                                                                           \
    {                                                                                              \
        uint32_t addr = (address), off = addr - RAM_BASE;                                          \
        if (__builtin_expect(in_ram(m, off, size) && m->granule[off / 64] == 0, 1)) {              \
            type value = (type)m->r[i->a];                                                         \
            memcpy(m->ram + off, &value, size);                                                    \
            cy += COST(i);                                                                         \
            NEXT;                                                                                  \
        }                                                                                          \
        m->addr = addr;                                                                            \
        return slow_##name(PASS);                                                                  \
    }

STORE(str_i, uint32_t, 4, AT_IMM)
STORE(strh_i, uint16_t, 2, AT_IMM)
STORE(strb_i, uint8_t, 1, AT_IMM)
STORE(str_r, uint32_t, 4, AT_REG)
STORE(strh_r, uint16_t, 2, AT_REG)
STORE(strb_r, uint8_t, 1, AT_REG)

/* Register lists: i->imm is the list, i->cycles is 1 + N. */

static int32_t load_list(struct takt_machine *m, uint32_t list, uint32_t address)
{
    int32_t extra = 0;
    for (; list != 0 && m->fault == FAULT_NONE; list &= list - 1, address += 4) {
        uint32_t off = address - RAM_BASE, value;
        m->bus_extra = 0;
        if (in_ram(m, off, 4))
            memcpy(&value, m->ram + off, 4);
        else
            value = load_slowly(m, address, 4);
        extra += m->bus_extra;
        m->r[__builtin_ctz(list)] = value;
    }
    return extra;
}

static int32_t store_list(struct takt_machine *m, uint32_t list, uint32_t address)
{
    int32_t extra = 0;
    for (; list != 0 && m->fault == FAULT_NONE; list &= list - 1, address += 4) {
        uint32_t off = address - RAM_BASE, value = m->r[__builtin_ctz(list)];
        m->bus_extra = 0;
        if (in_ram(m, off, 4) && m->granule[off / 64] == 0)
            memcpy(m->ram + off, &value, 4);
        else
            store_slowly(m, address, value, 4);
        extra += m->bus_extra;
    }
    return extra;
}

/* What registers hold is unknown: here, never what they held or are to hold. */
static void scramble(struct takt_machine *m, uint32_t list)
{
    for (; list != 0; list &= list - 1)
        m->r[__builtin_ctz(list)] ^= 0xA5A5A5A5u;
}

/*
 * An interrupt abandons a list transfer, which starts afresh afterwards. If something is due
 * before the transfer would end, look: true when an exception is now to be taken instead. What
 * was to be loaded then is unknown.
 */
static bool abandoned(struct takt_machine *m, const struct insn *i, uint64_t cy, uint32_t loaded)
{
    if (__builtin_expect(REL(cy) + i->cycles <= m->bound, 1))
        return false;
    uint64_t start = m->base + REL(cy);
    sync(m, i, cy);
    while (m->next_event < start + i->cycles) {
        uint64_t when = m->next_event;
        event_run(m, when);
        if (exception_wakes(m) && !m->exc.primask) {
            m->now = when > start ? when : start;
            if (when > start)
                scramble(m, loaded);
            return true;
        }
    }
    return false;
}

/* Leaves with m->now as abandoned() set it; the instruction has not run. */
static void leave_abandoned(ARGS)
{
    uint64_t when = m->now;
    leave(PASS);
    m->now = when;
}

void op_push(ARGS)
{
    if (abandoned(m, i, cy, 0))
        return leave_abandoned(PASS);
    sync(m, i, cy);
    uint32_t base = m->r[13] - 4u * (uint32_t)__builtin_popcount(i->imm);
    int32_t extra = store_list(m, i->imm, base);
    if (m->fault != FAULT_NONE)
        return leave_fault(PASS);
    m->r[13] = base;
    cy += COST_AND(i, extra);
    NEXT;
}

void op_pop(ARGS)
{
    if (abandoned(m, i, cy, i->imm & 0xFF))
        return leave_abandoned(PASS);
    sync(m, i, cy);
    int32_t extra = load_list(m, i->imm, m->r[13]);
    if (m->fault != FAULT_NONE)
        return leave_fault(PASS);
    m->r[13] += 4u * (uint32_t)__builtin_popcount(i->imm);
    cy += COST_AND(i, extra);
    NEXT;
}

/* Bit 15 of the list is PC: the value lands in r[15] and is jumped to. */
void op_pop_pc(ARGS)
{
    if (abandoned(m, i, cy, i->imm & 0xFF))
        return leave_abandoned(PASS);
    sync(m, i, cy);
    int32_t extra = load_list(m, i->imm, m->r[13]);
    if (m->fault != FAULT_NONE)
        return leave_fault(PASS);
    m->r[13] += 4u * (uint32_t)__builtin_popcount(i->imm);
    cy += COST_AND(i, extra);
    m->addr = m->r[15];
    return interwork(PASS);
}

void op_ldm(ARGS)
{
    if (abandoned(m, i, cy, i->imm & ~(1u << i->b)))
        return leave_abandoned(PASS);
    sync(m, i, cy);
    uint32_t base = m->r[i->b];
    int32_t extra = load_list(m, i->imm, base);
    if (m->fault != FAULT_NONE) {
        m->r[i->b] = base;
        return leave_fault(PASS);
    }
    if ((i->imm >> i->b & 1) == 0)
        m->r[i->b] = base + 4u * (uint32_t)__builtin_popcount(i->imm);
    cy += COST_AND(i, extra);
    NEXT;
}

void op_stm(ARGS)
{
    if (abandoned(m, i, cy, 0))
        return leave_abandoned(PASS);
    sync(m, i, cy);
    uint32_t base = m->r[i->b];
    int32_t extra = store_list(m, i->imm, base);
    if (m->fault != FAULT_NONE)
        return leave_fault(PASS);
    m->r[i->b] = base + 4u * (uint32_t)__builtin_popcount(i->imm);
    cy += COST_AND(i, extra);
    NEXT;
}
