/*
 * TWI as a master, bit by bit on its wires. SCL has equal halves of 8 + TWBR * 4^TWPS cycles, the
 * high one counted from when SCL is high. While TWINT is set SCL is held low.
 */
#include "avr.h"

enum { TWINT = 0x80, TWEA = 0x40, TWSTA = 0x20, TWSTO = 0x10, TWWC = 8, TWEN = 4 };
enum { STARTED = 0x08, AGAIN = 0x10, LOST = 0x38, NOTHING = 0xf8 };
enum job { IDLE, START, BYTE, STOP };

static struct twi *of(struct takt_machine *m)
{
    return &m->mega->twi;
}

static uint64_t half(const struct takt_machine *m)
{
    const uint8_t *d = m->mega->d;
    return 8 + ((uint64_t)d[R_TWBR] << 2 * (d[R_TWSR] & 3));
}

static bool line(const struct takt_machine *m, uint8_t pin)
{
    return (m->pins[0].wire >> pin & 1) != 0;
}

static void next(struct takt_machine *m, uint8_t step, uint64_t when)
{
    of(m)->step = step;
    event_set(m, EV_TWI, when + half(m));
}

static void end(struct takt_machine *m, uint8_t status)
{
    uint8_t *d = m->mega->d;
    of(m)->job = IDLE;
    d[R_TWSR] = (uint8_t)((d[R_TWSR] & 3) | status);
    if (status != NOTHING)
        flag_raise(m, R_TWCR, TWINT);
}

/* Lets SCL go; the step comes half a period after it is high, which a device may delay. */
static void clock_high(struct takt_machine *m, uint8_t step, uint64_t when)
{
    struct twi *t = of(m);
    t->scl_low = false;
    t->waits = true;
    t->step = step;
    port_refresh(m, when);
    twi_lines(m, 0, false, true, when);
}

void twi_lines(struct takt_machine *m, unsigned n, bool sda_moved, bool scl_moved, uint64_t when)
{
    (void)sda_moved;
    (void)scl_moved;
    struct twi *t = of(m);
    bool high = line(m, m->mega->chip->scl);
    if (n != 0 || !t->waits || !high || (t->free && !line(m, m->mega->chip->sda)))
        return;
    t->waits = t->free = false;
    next(m, t->step, when);
}

static void start_event(struct takt_machine *m, uint64_t when)
{
    struct twi *t = of(m);
    switch (t->step) {
    case 0:
        clock_high(m, 1, when);
        return;
    case 1:
        t->sda_low = true;
        next(m, 2, when);
        break;
    default:
        t->scl_low = true;
        end(m, t->owner ? AGAIN : STARTED);
        t->owner = t->addressing = true;
        break;
    }
    port_refresh(m, when);
}

/* Status after a byte. */
static uint8_t outcome(const struct twi *t)
{
    unsigned base = t->addressing ? (t->reads ? 0x40 : 0x18) : t->reads ? 0x50 : 0x28;
    return (uint8_t)(base + (t->refused ? 8 : 0));
}

static bool sends(const struct twi *t)
{
    return t->addressing || !t->reads;
}

/* SCL is low: what SDA shall be. */
static void place_bit(struct takt_machine *m, uint64_t when)
{
    struct twi *t = of(m);
    if (t->bit < 8)
        t->sda_low = sends(t) && (t->shift >> 7 & 1) == 0;
    else
        t->sda_low = !sends(t) && t->acknowledges;
    port_refresh(m, when);
    next(m, 1, when);
}

static void byte_ends(struct takt_machine *m)
{
    struct twi *t = of(m);
    if (t->addressing)
        t->reads = (m->mega->d[R_TWDR] & 1) != 0;
    else if (t->reads)
        m->mega->d[R_TWDR] = (uint8_t)t->shift;
    uint8_t status = outcome(t);
    t->addressing = false;
    end(m, status);
}

static void byte_event(struct takt_machine *m, uint64_t when)
{
    struct twi *t = of(m);
    if (t->step == 1) {
        clock_high(m, 2, when);
        return;
    }
    bool bit = line(m, m->mega->chip->sda);
    if (t->bit < 8 && sends(t) && bit == t->sda_low) {
        t->sda_low = t->owner = false; /* another master */
        end(m, LOST);
        port_refresh(m, when);
        return;
    }
    if (t->bit == 8)
        t->refused = bit;
    else
        t->shift = (t->shift << 1 | bit) & 0xff;
    t->scl_low = true;
    port_refresh(m, when);
    if (t->bit++ == 8)
        byte_ends(m);
    else
        place_bit(m, when);
}

static void act(struct takt_machine *m, uint64_t when);

static void stop_event(struct takt_machine *m, uint64_t when)
{
    struct twi *t = of(m);
    if (t->step == 1) {
        clock_high(m, 2, when);
        return;
    }
    t->sda_low = t->owner = false;
    m->mega->d[R_TWCR] &= (uint8_t)~TWSTO;
    end(m, NOTHING);
    port_refresh(m, when);
    act(m, when);
}

void twi_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    (void)id;
    unsigned job = of(m)->job;
    if (job == START)
        start_event(m, when);
    else if (job == BYTE)
        byte_event(m, when);
    else if (job == STOP)
        stop_event(m, when);
}

static void start(struct takt_machine *m, uint64_t when)
{
    struct twi *t = of(m);
    t->job = START;
    t->sda_low = false;
    if (t->owner) {
        port_refresh(m, when);
        next(m, 0, when);
        return;
    }
    t->waits = t->free = true; /* until both lines are high */
    t->step = 1;
    twi_lines(m, 0, false, false, when);
}

/* TWINT is clear and nothing goes on: what TWCR asks for. */
static void act(struct takt_machine *m, uint64_t when)
{
    struct twi *t = of(m);
    uint8_t *control = &m->mega->d[R_TWCR];
    if ((*control & TWSTO) != 0 && t->owner) {
        t->job = STOP;
        t->sda_low = true;
        port_refresh(m, when);
        next(m, 1, when);
    } else if ((*control & TWSTA) != 0) {
        start(m, when);
    } else if (t->owner) {
        t->job = BYTE;
        t->bit = 0;
        t->acknowledges = (*control & TWEA) != 0;
        t->shift = m->mega->d[R_TWDR];
        place_bit(m, when);
    }
    if (!t->owner && t->job != STOP)
        *control &= (uint8_t)~TWSTO;
}

static void off(struct takt_machine *m, uint64_t when)
{
    *of(m) = (struct twi){0};
    event_set(m, EV_TWI, TAKT_NEVER);
    m->mega->d[R_TWSR] |= NOTHING;
    port_refresh(m, when);
}

static void write_control(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                          uint64_t when)
{
    (void)bits;
    uint8_t *d = &m->mega->d[reg];
    uint8_t flag = *d & TWINT & (uint8_t)~value;
    *d = (uint8_t)((value & ~(TWINT | TWWC)) | flag | (*d & TWWC));
    if ((value & TWEN) == 0)
        off(m, when + 1);
    else if (flag == 0 && of(m)->job == IDLE)
        act(m, when + 1);
    bus_attention(m);
}

/* Only while TWINT is set. */
static void write_data(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                       uint64_t when)
{
    (void)when;
    uint8_t *control = &m->mega->d[R_TWCR];
    bool open = (*control & TWINT) != 0 || of(m)->job == IDLE;
    *control = (uint8_t)((*control & ~TWWC) | (open ? 0 : TWWC));
    if (open)
        reg_keep(m, reg, value, bits);
}

static void write_status(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                         uint64_t when)
{
    (void)when;
    reg_keep(m, reg, value, bits & 3);
}

static void keep(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits, uint64_t when)
{
    (void)when;
    reg_keep(m, reg, value, bits);
    if (reg == R_TWAR && value != 0 && value != 0xfe)
        report_note(m, "the TWI as a slave is not modelled");
}

void twi_take(const struct takt_machine *m, uint32_t *driven, uint32_t *out)
{
    const struct mega_chip *chip = m->mega->chip;
    const struct twi *t = &m->mega->twi;
    uint32_t sda = 1u << chip->sda, scl = 1u << chip->scl;
    if ((m->mega->d[R_TWCR] & TWEN) == 0)
        return;
    *driven = (*driven & ~(sda | scl)) | (t->sda_low ? sda : 0) | (t->scl_low ? scl : 0);
    *out &= ~(*driven & (sda | scl));
}

/* Whether the coming byte will be refused is told after the bus asks. */
bool twi_last(const struct takt_machine *m, unsigned n)
{
    (void)m;
    (void)n;
    return false;
}

void twi_reset(struct takt_machine *m)
{
    *of(m) = (struct twi){0};
    m->mega->d[R_TWSR] = NOTHING;
    m->mega->d[R_TWAR] = 0xfe;
    m->mega->d[R_TWDR] = 0xff;
}

void twi_define(struct takt_machine *m)
{
    const struct mega_chip *chip = m->mega->chip;
    reg_define(m, R_TWBR, NULL, keep, 0xff);
    reg_define(m, R_TWSR, NULL, write_status, 0xfb);
    reg_define(m, R_TWAR, NULL, keep, 0xff);
    reg_define(m, R_TWAMR, NULL, keep, 0xfe);
    reg_define(m, R_TWDR, NULL, write_data, 0xff);
    reg_define(m, R_TWCR, NULL, write_control, 0xfd);
    i2c_bus_wire(m, 0, I2C_SDA, (struct wire){0, 1u << chip->sda});
    i2c_bus_wire(m, 0, I2C_SCL, (struct wire){0, 1u << chip->scl});
}
