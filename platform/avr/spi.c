/* SPI as a master. Devices get whole bytes; SCK rests at its idle level. */
#include "avr.h"

enum { SPE = 0x40, DORD = 0x20, MSTR = 0x10, CPOL = 8 };
enum { SPIF = 0x80, WCOL = 0x40, SPI2X = 1 };

static uint64_t bit_cycles(const struct takt_machine *m)
{
    static const uint8_t shift[4] = {2, 4, 6, 7};
    return 1ull << (shift[m->mega->d[R_SPCR] & 3] - (m->mega->d[R_SPSR] & SPI2X));
}

uint32_t spi_settings(struct takt_machine *m, uint32_t bus, uint32_t *mode, uint32_t *bits)
{
    uint8_t control = m->mega->d[R_SPCR];
    *mode = control >> 2 & 3;
    *bits = 8;
    bool on = bus == 0 && (control & (SPE | MSTR)) == (SPE | MSTR);
    return on ? (uint32_t)(m->chip->hz(m) / bit_cycles(m)) : 0;
}

void spi_take(const struct takt_machine *m, uint32_t *driven, uint32_t *out)
{
    const struct mega_chip *chip = m->mega->chip;
    uint8_t control = m->mega->d[R_SPCR];
    if ((control & (SPE | MSTR)) != (SPE | MSTR))
        return;
    *driven &= ~(1u << chip->miso);
    *out = (*out & ~(1u << chip->sck)) | (control & CPOL ? 1u << chip->sck : 0);
}

static uint8_t ordered(const struct takt_machine *m, uint8_t byte)
{
    uint8_t turned = 0;
    for (unsigned bit = 0; bit < 8; bit++)
        turned = (uint8_t)(turned << 1 | (byte >> bit & 1));
    return (m->mega->d[R_SPCR] & DORD) != 0 ? turned : byte;
}

void spi_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    (void)id;
    (void)when;
    struct spi *s = &m->mega->spi;
    uint32_t in = spi_exchange(m, 0, ordered(m, s->out), 8, 0xff);
    s->in = ordered(m, (uint8_t)in);
    s->busy = s->seen = false;
    flag_raise(m, R_SPSR, SPIF);
}

/* SPSR read with the flag set, then SPDR accessed: that clears the flags. */
static void accessed(struct takt_machine *m)
{
    if (m->mega->spi.seen)
        m->mega->d[R_SPSR] &= SPI2X;
    m->mega->spi.seen = false;
}

/* An input SS that is pulled low makes it a slave. */
void spi_slave_select(struct takt_machine *m)
{
    uint32_t pin = 1u << m->mega->chip->ss;
    uint8_t *control = &m->mega->d[R_SPCR];
    bool master = (*control & (SPE | MSTR)) == (SPE | MSTR);
    if (!master || ((m->pins[0].driven | m->pins[0].wire) & pin) != 0)
        return;
    *control &= (uint8_t)~MSTR;
    event_set(m, EV_SPI, TAKT_NEVER);
    m->mega->spi.busy = false;
    report_note(m, "SS is an input and low: the SPI is a slave from now on, which is not modelled");
    flag_raise(m, R_SPSR, SPIF);
}

static uint8_t read_data(struct takt_machine *m, uint32_t reg, uint64_t when)
{
    (void)reg;
    (void)when;
    accessed(m);
    return m->mega->spi.in;
}

static void write_data(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                       uint64_t when)
{
    (void)reg;
    (void)bits;
    struct spi *s = &m->mega->spi;
    accessed(m);
    if (s->busy) {
        m->mega->d[R_SPSR] |= WCOL;
        return;
    }
    s->out = value;
    if ((m->mega->d[R_SPCR] & (SPE | MSTR)) != (SPE | MSTR))
        return;
    s->busy = true;
    event_set(m, EV_SPI, when + 1 + 8 * bit_cycles(m));
}

static uint8_t read_status(struct takt_machine *m, uint32_t reg, uint64_t when)
{
    (void)when;
    m->mega->spi.seen = (m->mega->d[reg] & (SPIF | WCOL)) != 0;
    return m->mega->d[reg];
}

static void write_status(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                         uint64_t when)
{
    (void)when;
    reg_keep(m, reg, value, bits & SPI2X);
}

static void write_control(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                          uint64_t when)
{
    reg_keep(m, reg, value, bits);
    if ((value & SPE) == 0) {
        m->mega->spi.busy = false;
        event_set(m, EV_SPI, TAKT_NEVER);
    } else if ((value & MSTR) == 0) {
        report_note(m, "the SPI as a slave is not modelled");
    }
    port_refresh(m, when + 1);
    spi_slave_select(m);
    bus_attention(m);
}

void spi_define(struct takt_machine *m)
{
    reg_define(m, R_SPCR, NULL, write_control, 0xff);
    reg_define(m, R_SPSR, read_status, write_status, 0xff);
    reg_define(m, R_SPDR, read_data, write_data, 0xff);
}
