/* EEPROM of 1 KB. A byte takes its own time, in which it can neither be read nor addressed anew; a
 * read takes four cycles, the start of a write two. Its interrupt is not modelled. */
#include <string.h>

#include "avr.h"

enum { EERE = 1, EEPE = 2, EEMPE = 4, EEPM0 = 0x10, EEPM1 = 0x20 };
#define ERASED       0xffu
#define OPEN_CYCLES  4u
#define READ_CYCLES  4u
#define WRITE_CYCLES 2u
#define BOTH_US      3400u /* to erase and to write; one of these alone: */
#define HALF_US      1800u

static uint8_t *addressed(struct takt_machine *m)
{
    return &m->mega->eeprom[(m->mega->d[R_EEARL] | m->mega->d[R_EEARH] << 8) % EEPROM_BYTES];
}

static bool is_busy(const struct takt_machine *m)
{
    return m->event_at[EV_EEPROM] != TAKT_NEVER;
}

void eeprom_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    (void)when;
    event_set(m, id, TAKT_NEVER);
    m->mega->d[R_EECR] &= (uint8_t)~EEPE;
}

/* The byte is as it will be at once, for it cannot be read until then. Without erasing bits become 0
 * only. */
static void program(struct takt_machine *m, uint8_t mode, uint64_t when)
{
    uint8_t *byte = addressed(m), data = m->mega->d[R_EEDR];
    if (mode == EEPM0)
        *byte = ERASED;
    else
        *byte = mode == EEPM1 ? *byte & data : data;
    uint64_t us = mode == 0 ? BOTH_US : HALF_US;
    m->mega->d[R_EECR] |= EEPE;
    event_set(m, EV_EEPROM, when + us * m->chip->hz(m) / 1000000);
    m->mega->cpu->cycle += WRITE_CYCLES;
}

/* EEPE does something only in the four cycles after EEMPE was set without it. */
static void write_control(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                          uint64_t when)
{
    uint8_t asked = value & bits, mode = EEPM0 | EEPM1;
    bool open = when <= m->mega->eeprom_open;
    if (!is_busy(m))
        reg_keep(m, reg, value, bits & mode);
    if ((asked & EEPE) != 0 && open && !is_busy(m)) {
        m->mega->eeprom_open = 0;
        program(m, m->mega->d[reg] & mode, when);
    } else if ((asked & EEMPE) != 0 && (asked & EEPE) == 0) {
        m->mega->eeprom_open = when + OPEN_CYCLES;
    }
    if ((asked & EERE) != 0 && !is_busy(m)) {
        m->mega->d[R_EEDR] = *addressed(m);
        m->mega->cpu->cycle += READ_CYCLES;
    }
}

static uint8_t read_control(struct takt_machine *m, uint32_t reg, uint64_t when)
{
    uint8_t open = when <= m->mega->eeprom_open ? EEMPE : 0;
    return (uint8_t)((m->mega->d[reg] & ~EEMPE) | open);
}

static void write_address(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                          uint64_t when)
{
    (void)when;
    if (!is_busy(m))
        reg_keep(m, reg, value, bits);
}

static void write_data(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                       uint64_t when)
{
    (void)when;
    reg_keep(m, reg, value, bits);
}

void eeprom_define(struct takt_machine *m)
{
    memset(m->mega->eeprom, ERASED, sizeof m->mega->eeprom);
    reg_define(m, R_EECR, read_control, write_control, EERE | EEPE | EEMPE | EEPM0 | EEPM1);
    reg_define(m, R_EEARL, NULL, write_address, 0xff);
    reg_define(m, R_EEARH, NULL, write_address, 3);
    reg_define(m, R_EEDR, NULL, write_data, 0xff);
}
