/*
 * The I2C buses outside the chip: devices (by callback), pull-ups and faults. One listener per
 * bus follows the wires for all its devices, so it also hears a program that bit-bangs. Both it
 * and the chip's controller follow the wires bit by bit, so lost arbitration, stretched clocks and
 * stuck lines come about as they do on a real bus. The bus asks the controller for one thing only:
 * whether it will refuse the byte to come (i2c_last).
 *
 * A bus is on the pins that last had its function; they keep their wires when the program turns
 * them into plain pins.
 */
#include "machine.h"

static struct i2c_bus *bus_of(struct takt_machine *m, unsigned n)
{
    return &m->i2c_bus[n];
}

static bool level(const struct takt_machine *m, const struct i2c_bus *b, enum i2c_line which)
{
    const struct wire *w = &b->wired[which];
    return (m->pins[w->bank].wire & w->pins) == w->pins;
}

/* Puts what devices and faults do onto the wires. */
static void pull(struct takt_machine *m, unsigned n, uint64_t when)
{
    const struct i2c_bus *b = bus_of(m, n);
    bool there = b->count != 0 || b->held[I2C_SDA] || b->held[I2C_SCL];
    bool low[2] = {b->sda_low || b->held[I2C_SDA], b->stretching || b->held[I2C_SCL]};
    for (unsigned bank = 0; bank < PIN_BANKS; bank++) {
        uint32_t pins = 0, pulled = 0;
        for (unsigned which = 0; which < 2; which++) {
            uint32_t wire = b->wired[which].bank == bank ? b->wired[which].pins : 0;
            pins |= wire;
            pulled |= low[which] ? wire : 0;
        }
        if (pins != 0)
            pins_bus(m, bank, pins, pulled, there ? pins : 0, when);
    }
}

static const struct takt_i2c_device *device_at(const struct i2c_bus *b, uint32_t address)
{
    for (uint32_t k = 0; k < b->count; k++) {
        if (b->address[k] == address)
            return &b->device[k];
    }
    return NULL;
}

static void forget(struct i2c_bus *b)
{
    const struct takt_i2c_device *device = b->current;
    b->current = NULL;
    b->state = I2C_QUIET;
    if (device != NULL)
        device->stop(device->context);
}

/* Address and direction are in: who is meant, and does it answer? */
static bool answered(struct i2c_bus *b)
{
    const struct takt_i2c_device *device = device_at(b, b->shift >> 1 & 0x7f);
    bool read = (b->shift & 1) != 0;
    if (b->current != NULL && b->current != device)
        forget(b);
    b->current = device;
    b->state = read ? I2C_GIVE : I2C_TAKE;
    if (device != NULL && device->start(device->context, read) != 0)
        return true;
    b->current = NULL;
    b->state = I2C_QUIET;
    return false;
}

static bool accepted(struct i2c_bus *b)
{
    if (b->state == I2C_LISTEN)
        return answered(b);
    return b->current->write(b->current->context, b->shift & 0xff) != 0;
}

static void stretch(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c_bus *b = bus_of(m, n);
    const struct takt_i2c_device *device = b->current;
    uint64_t cycles = device->stretch != NULL ? device->stretch(device->context) : 0;
    b->stretching = cycles != 0;
    event_set(m, EV_STRETCH0 + n, cycles - 1 < TAKT_NEVER - 1 - when ? when + cycles : TAKT_NEVER);
}

/* SCL is low before the first bit of a byte after the address. */
static void byte_begins(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c_bus *b = bus_of(m, n);
    b->bit = 0;
    stretch(m, n, when);
    if (b->state == I2C_GIVE)
        b->shift = b->current->read(b->current->context, m->chip->i2c_last(m, n)) & 0xff;
}

static void clock_falls(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c_bus *b = bus_of(m, n);
    if (b->clocks != 0 && --b->clocks == 0)
        b->held[I2C_SDA] = false;
    if (b->state != I2C_QUIET) {
        b->bit++;
        if (b->bit == 9 && b->state == I2C_GIVE && b->refused)
            b->state = I2C_QUIET;
        else if (b->bit == 9)
            byte_begins(m, n, when);
        bool give = b->state == I2C_GIVE && b->bit < 8;
        b->sda_low = give && (b->shift >> (7 - b->bit) & 1) == 0;
        if (b->bit == 8 && (b->state == I2C_LISTEN || b->state == I2C_TAKE))
            b->sda_low = accepted(b);
    }
    pull(m, n, when);
}

static void clock_rises(struct i2c_bus *b)
{
    bool bit = b->seen[I2C_SDA];
    if (b->state != I2C_GIVE && b->bit < 8)
        b->shift = b->shift << 1 | bit;
    if (b->state == I2C_GIVE && b->bit == 8)
        b->refused = bit;
}

static void condition(struct takt_machine *m, unsigned n, bool stop, uint64_t when)
{
    struct i2c_bus *b = bus_of(m, n);
    if (stop) {
        forget(b);
    } else {
        b->state = I2C_LISTEN;
        b->bit = -1;
        b->shift = 0;
    }
    b->sda_low = false;
    pull(m, n, when);
}

static void follow(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c_bus *b = bus_of(m, n);
    bool sda = level(m, b, I2C_SDA), scl = level(m, b, I2C_SCL);
    bool sda_moved = sda != b->seen[I2C_SDA], scl_moved = scl != b->seen[I2C_SCL];
    b->seen[I2C_SDA] = sda;
    b->seen[I2C_SCL] = scl;
    if (scl_moved && scl)
        clock_rises(b);
    else if (scl_moved)
        clock_falls(m, n, when);
    else if (sda_moved && scl)
        condition(m, n, sda, when);
    if (sda_moved || scl_moved)
        m->chip->i2c_lines(m, n, sda_moved, scl_moved, when);
}

void i2c_follow(struct takt_machine *m, uint64_t when)
{
    follow(m, 0, when);
    follow(m, 1, when);
}

void i2c_stretch_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    unsigned n = id - EV_STRETCH0;
    bus_of(m, n)->stretching = false;
    pull(m, n, when);
}

/* Moves a line to other pins; nobody takes that for a signal. */
void i2c_bus_wire(struct takt_machine *m, unsigned n, enum i2c_line which, struct wire to)
{
    struct i2c_bus *b = bus_of(m, n);
    struct wire from = b->wired[which];
    if (to.pins == 0 || (to.pins == from.pins && to.bank == from.bank))
        return;
    for (unsigned bank = 0; bank < PIN_BANKS; bank++)
        m->pins[bank].bus = 0;
    pins_bus(m, from.bank, from.bank == to.bank ? from.pins & ~to.pins : from.pins, 0, 0, m->now);
    b->wired[which] = to;
    pull(m, n, m->now);
    b->seen[I2C_SDA] = level(m, b, I2C_SDA);
    b->seen[I2C_SCL] = level(m, b, I2C_SCL);
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned line = 0; line < 2; line++)
            m->pins[m->i2c_bus[k].wired[line].bank].bus |= m->i2c_bus[k].wired[line].pins;
    }
}

/* Power-on. Devices, wires and faults stay. */
void i2c_bus_reset(struct takt_machine *m, unsigned n)
{
    struct i2c_bus *b = bus_of(m, n);
    b->current = NULL;
    b->state = I2C_QUIET;
    b->sda_low = b->stretching = false;
    event_set(m, EV_STRETCH0 + n, TAKT_NEVER);
    pull(m, n, m->now);
}

int takt_i2c_attach(struct takt_machine *m, uint32_t bus, uint32_t address,
                    const struct takt_i2c_device *device)
{
    if (bus > 1 || address > 0x7f)
        return -1;
    struct i2c_bus *b = bus_of(m, bus);
    if (b->count == I2C_DEVICES || device_at(b, address) != NULL)
        return -1;
    b->address[b->count] = (uint8_t)address;
    b->device[b->count++] = *device;
    pull(m, bus, m->now);
    return 0;
}

void takt_i2c_hold(struct takt_machine *m, uint32_t bus, int32_t sda, int32_t scl, uint32_t clocks)
{
    if (bus > 1)
        return;
    struct i2c_bus *b = bus_of(m, bus);
    if (sda >= 0) {
        b->held[I2C_SDA] = sda != 0;
        b->clocks = sda != 0 ? clocks : 0;
    }
    if (scl >= 0)
        b->held[I2C_SCL] = scl != 0;
    if (scl == 0) {
        b->stretching = false;
        event_set(m, EV_STRETCH0 + bus, TAKT_NEVER);
    }
    pull(m, bus, m->now);
}
