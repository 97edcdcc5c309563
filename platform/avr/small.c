/* What keeps what is written to it, and the clock prescaler. */
#include "avr.h"

static void keep(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits, uint64_t when)
{
    (void)when;
    reg_keep(m, reg, value, bits);
}

/* The pull-ups hang on PUD. */
static void write_mcucr(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                        uint64_t when)
{
    reg_keep(m, reg, value, bits);
    port_refresh(m, when + 1);
}

static void write_trace(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                        uint64_t when)
{
    (void)when;
    reg_keep(m, reg, value, bits);
    record_add(&m->rtt.up[1], &value, 1);
}

#define PRTIM1 8u

static void write_prr(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                      uint64_t when)
{
    (void)when;
    reg_keep(m, reg, value, bits);
    if (value & PRTIM1)
        machine_fail(m, TAKT_STOP_FAULT, "PRR stops Timer1 for good, pc=0x%04x",
                     (unsigned)m->mega->cpu->pc);
    else if (value != 0)
        report_note(m, "PRR stops the clock of a device, which works on here");
}

/* CLKPCE first, then the divider; the four cycles between them are not checked. */
static void write_clkpr(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                        uint64_t when)
{
    (void)bits;
    (void)when;
    bool open = (m->mega->d[reg] & 0x80) != 0;
    if (value == 0x80)
        m->mega->d[reg] |= 0x80;
    else if (open)
        m->mega->d[reg] = value & 15;
}

uint32_t small_hz(const struct takt_machine *m)
{
    return m->mega->hz >> (m->mega->d[R_CLKPR] & 15);
}

void small_define(struct takt_machine *m)
{
    reg_define(m, R_GPIOR0, NULL, keep, 0xff);
    reg_define(m, R_GPIOR1, NULL, write_trace, 0xff);
    reg_define(m, R_GPIOR2, NULL, keep, 0xff);
    reg_define(m, R_SMCR, NULL, keep, 15);
    reg_define(m, R_MCUSR, NULL, keep, 15);
    reg_define(m, R_MCUCR, NULL, write_mcucr, 0x70);
    reg_define(m, R_CLKPR, NULL, write_clkpr, 0x8f);
    reg_define(m, R_PRR, NULL, write_prr, 0xff);
    reg_define(m, R_ACSR, NULL, keep, 0x80);
    reg_define(m, R_DIDR0, NULL, keep, 0xff);
    reg_define(m, R_DIDR1, NULL, keep, 3);
}
