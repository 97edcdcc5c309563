/* The public interface: loading, memory, registers, watched addresses. */
#include <string.h>

#include "avr.h"

/* Below DATA_BASE flash, above the data space. */
static uint8_t *memory(const struct takt_machine *m, uint32_t address, uint32_t size)
{
    bool data = address >= DATA_BASE;
    uint32_t at = data ? address - DATA_BASE : address;
    uint32_t room = data ? m->mega->cpu->ramend + 1u : m->flash_size;
    if (at > room || size > room - at)
        return NULL;
    return (data ? m->mega->d : m->mega->cpu->flash) + at;
}

static void copy_on(struct takt_machine *m)
{
    uint8_t *flash = m->mega->cpu->flash;
    for (uint32_t at = m->flash_size; at < FLASH_ROOM; at += m->flash_size)
        memcpy(flash + at, flash, m->flash_size);
}

static void sreg_set(struct takt_machine *m, uint32_t value)
{
    for (uint8_t bit = 0; bit < 8; bit++)
        avr_sreg_set(m->mega->cpu, bit, value >> bit & 1);
}

/* Whoever looks at the flash does not see what breaks put there. */
static void breaks_all(struct takt_machine *m, void (*change)(struct takt_machine *, uint32_t))
{
    for (uint32_t k = 0; k < m->break_count; k++)
        change(m, m->mega->patch[k].address);
}

int takt_load(struct takt_machine *m, uint32_t address, const void *data, uint32_t size)
{
    uint8_t *to = memory(m, address, size);
    if (to == NULL)
        return -1;
    breaks_all(m, break_lift);
    memcpy(to, data, size);
    if (address < DATA_BASE)
        copy_on(m);
    else if (address - DATA_BASE <= R_SREG && address - DATA_BASE + size > R_SREG)
        sreg_set(m, m->mega->d[R_SREG]);
    breaks_all(m, break_put);
    return 0;
}

int takt_write(struct takt_machine *m, uint32_t address, const void *data, uint32_t size)
{
    return takt_load(m, address, data, size);
}

static uint8_t sreg(const struct takt_machine *m)
{
    unsigned value = 0;
    for (unsigned bit = 0; bit < 8; bit++)
        value |= (unsigned)(m->mega->cpu->sreg[bit] != 0) << bit;
    return (uint8_t)value;
}

void takt_read(struct takt_machine *m, uint32_t address, void *data, uint32_t size)
{
    const uint8_t *from = memory(m, address, size);
    memset(data, 0, size);
    if (from == NULL)
        return;
    m->mega->d[R_SREG] = sreg(m);
    breaks_all(m, break_lift);
    memcpy(data, from, size);
    breaks_all(m, break_put);
}

uint32_t takt_bus_read(struct takt_machine *m, uint32_t address)
{
    uint32_t reg = address - DATA_BASE;
    if (reg < IO_END && m->mega->reg[reg].read != NULL)
        return m->mega->reg[reg].read(m, reg, m->now);
    uint8_t value = 0;
    takt_read(m, address, &value, 1);
    return value;
}

void takt_bus_write(struct takt_machine *m, uint32_t address, uint32_t value)
{
    uint32_t reg = address - DATA_BASE;
    uint8_t byte = (uint8_t)value;
    if (reg < IO_END && m->mega->reg[reg].write != NULL)
        m->mega->reg[reg].write(m, reg, byte, 0xff, m->now);
    else
        takt_load(m, address, &byte, 1);
}

uint32_t takt_register(struct takt_machine *m, uint32_t number)
{
    if (number < 32)
        return m->mega->d[number];
    if (number == 32)
        return sreg(m);
    return number == 33 ? _avr_sp_get(m->mega->cpu) : m->mega->cpu->pc;
}

void takt_set_register(struct takt_machine *m, uint32_t number, uint32_t value)
{
    avr_t *cpu = m->mega->cpu;
    if (number < 32)
        m->mega->d[number] = (uint8_t)value;
    else if (number == 32)
        sreg_set(m, value);
    else if (number == 33)
        _avr_sp_set(cpu, (uint16_t)value);
    else
        cpu->pc = value;
}

/* The list of bytes a program has written to GPIOR1 is that of its trace (channel 1). */
void takt_rtt_attach(struct takt_machine *m, uint32_t address)
{
    (void)m;
    (void)address;
}

static int list_change(uint32_t *list, uint32_t *count, uint32_t address, bool on)
{
    uint32_t k = 0;
    while (k < *count && list[k] != address)
        k++;
    if (k < *count && !on)
        list[k] = list[--*count];
    if (k < *count || !on)
        return 0;
    if (*count == 16)
        return -1;
    list[(*count)++] = address;
    return 0;
}

int takt_stop_on_write(struct takt_machine *m, uint32_t address, int32_t on)
{
    return list_change(m->watches, &m->watch_count, address, on != 0);
}

int takt_log_write(struct takt_machine *m, uint32_t address, int32_t on)
{
    return list_change(m->write_logs, &m->write_log_count, address, on != 0);
}
