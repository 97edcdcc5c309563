/* Ports: pins are numbered port * 8 + bit, A first, and all in bank 0. */
#include "avr.h"

/* A register of all ports, as a mask of pins. which: 0 PIN, 1 DDR, 2 PORT. */
static uint32_t all(const struct takt_machine *m, unsigned which)
{
    uint32_t mask = 0;
    for (unsigned port = 0; port < 4; port++)
        mask |= (uint32_t)m->mega->d[R_PINA + 3 * port + which] << 8 * port;
    return mask;
}

static void set(uint32_t *mask, uint32_t pin, bool on)
{
    *mask = (*mask & ~(1u << pin)) | (uint32_t)on << pin;
}

static void timers_take(const struct takt_machine *m, uint32_t *out)
{
    static const uint32_t control[TIMERS] = {R_TCCR0A, R_TCCR1A, R_TCCR2A};
    for (unsigned n = 0; n < TIMERS; n++) {
        for (unsigned k = 0; k < 2 && m->mega->d[control[n]] > 15; k++) {
            if (timer_drives(m, n, k))
                set(out, m->mega->chip->oc[n][k], m->mega->timer[n].out[k]);
        }
    }
}

static void usarts_take(const struct takt_machine *m, uint32_t *driven, uint32_t *out)
{
    for (unsigned port = 0; port < m->mega->chip->usarts; port++) {
        uint8_t control = m->mega->d[R_UCSR0B + 8 * port];
        if ((control & 8) != 0) {
            set(driven, m->mega->chip->tx[port], true);
            set(out, m->mega->chip->tx[port], true); /* bits are not drawn */
        }
        if ((control & 16) != 0)
            set(driven, m->mega->chip->rx[port], false);
    }
}

/* What the registers make of the pins. */
void port_refresh(struct takt_machine *m, uint64_t when)
{
    const struct mega_chip *chip = m->mega->chip;
    uint32_t driven = all(m, 1), out = all(m, 2), pulls = out & ~driven;
    timers_take(m, &out);
    usarts_take(m, &driven, &out);
    spi_take(m, &driven, &out);
    twi_take(m, &driven, &out);
    if ((m->mega->d[R_MCUCR] & 0x10) != 0) /* PUD */
        pulls = 0;
    uint32_t there = chip->chip.pin_mask[0], before = m->pins[0].pull_up;
    pulls &= there;
    if ((pulls | before) != before) /* none is let go between a pull and what drives it */
        pins_pulls(m, 0, pulls | before, 0, when);
    pins_output(m, 0, driven & there, out & there, when);
    if (pulls != m->pins[0].pull_up)
        pins_pulls(m, 0, pulls, 0, when);
}

/* What comes through the synchroniser: a change is seen from the next cycle but one on, hence the
 * NOP between a write and reading it back. */
static uint8_t read_pins(struct takt_machine *m, uint32_t reg, uint64_t when)
{
    wave_sync(m, when);
    const struct mega *mega = m->mega;
    uint32_t wire = mega->wire_changed == when ? mega->wire_before : m->pins[0].wire;
    return (uint8_t)(wire >> (reg - R_PINA) / 3 * 8);
}

static void write_port(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                       uint64_t when)
{
    if ((reg - R_PINA) % 3 == 0)
        m->mega->d[reg + 2] ^= value & bits;
    else
        reg_keep(m, reg, value, bits);
    port_refresh(m, when + 1);
}

void port_pins_changed(struct takt_machine *m, uint32_t bank, uint32_t pins, uint64_t when)
{
    (void)bank;
    struct mega *mega = m->mega;
    if (mega->wire_changed != when) {
        mega->wire_changed = when;
        mega->wire_before = m->pins[0].wire ^ pins;
    }
    external_edges(m, pins);
    if ((pins >> mega->chip->ss & 1) != 0)
        spi_slave_select(m);
    if ((pins >> mega->chip->icp & 1) != 0)
        timer_capture(m, (m->pins[0].wire >> mega->chip->icp & 1) != 0, when);
}

void port_define(struct takt_machine *m)
{
    for (unsigned port = 0; port < 4; port++) {
        uint8_t there = (uint8_t)(m->mega->chip->chip.pin_mask[0] >> 8 * port);
        if (there == 0)
            continue;
        reg_define(m, R_PINA + 3 * port, read_pins, write_port, 0xff);
        reg_define(m, R_PINA + 3 * port + 1, NULL, write_port, there);
        reg_define(m, R_PINA + 3 * port + 2, NULL, write_port, there);
    }
}
