/*
 * I2C master: the bits.
 *
 *   START: high from SDA low to SCL low.  STOP: high from SCL high.  Then low until free.
 *
 * SCL stays low between bytes until the program has given data, or said how to go on (TC, TCR),
 * and before the acknowledgement while the byte before has not been read.
 */
#include "i2c.h"

static struct i2c *i2c_of(struct takt_machine *m, unsigned n)
{
    return &m->f0->i2c[n];
}

static void phase(struct takt_machine *m, unsigned n, enum i2c_phase next, uint64_t until)
{
    i2c_of(m, n)->phase = next;
    event_set(m, EV_I2C + n, until);
}

static void pull_sda(struct takt_machine *m, unsigned n, bool low, uint64_t when)
{
    i2c_of(m, n)->sda_low = low;
    port_outputs(m, when);
}

static void pull_scl(struct takt_machine *m, unsigned n, bool low, uint64_t when)
{
    i2c_of(m, n)->scl_low = low;
    port_outputs(m, when);
}

/* Idle, from wherever the controller was; the bus is left as it is. */
void f0_i2c_release(struct takt_machine *m, unsigned n, uint64_t when)
{
    phase(m, n, I2C_IDLE, TAKT_NEVER);
    pull_sda(m, n, false, when);
    pull_scl(m, n, false, when);
}

static void flag(struct takt_machine *m, unsigned n, uint32_t flags)
{
    i2c_of(m, n)->isr |= flags;
    f0_i2c_update_irq(m, n);
}

static void lost(struct takt_machine *m, unsigned n, uint64_t when)
{
    i2c_of(m, n)->cr2 &= ~(uint32_t)(CR2_START | CR2_STOP);
    f0_i2c_release(m, n, when);
    flag(m, n, ISR_ARLO);
}

/* A pulse: SCL has just gone low, or the program goes on. */
static void pulse(struct takt_machine *m, unsigned n, bool sda_low, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    bool resumed = c->phase == I2C_WAITING;
    c->fell = when;
    c->next_sda_low = sda_low;
    if (resumed) {
        phase(m, n, I2C_LOW, when + f0_i2c_setup_time(m, n));
        pull_sda(m, n, sda_low, when);
    } else if (sda_low == c->sda_low) {
        phase(m, n, I2C_LOW, when + f0_i2c_low_time(m, n));
    } else {
        phase(m, n, I2C_SETUP, when + f0_i2c_hold_time(m, n));
    }
}

static void pulse_bit(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    pulse(m, n, (c->shift >> (8 - c->bit) & 1) == 0, when);
}

/* A byte and its ninth bit, as the master sends them; 1 lets SDA go. */
static void byte_begin(struct takt_machine *m, unsigned n, enum i2c_element element, uint32_t bits,
                       uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    c->element = element;
    c->bit = 0;
    c->shift = bits;
    pulse_bit(m, n, when);
}

static void stop(struct takt_machine *m, unsigned n, uint64_t when)
{
    i2c_of(m, n)->element = I2C_STOP;
    pulse(m, n, true, when);
}

static void wait_for(struct takt_machine *m, unsigned n, uint32_t flags)
{
    phase(m, n, I2C_WAITING, TAKT_NEVER);
    flag(m, n, flags);
}

/* All of NBYTES are through. */
static void end(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    if ((c->cr2 & CR2_RELOAD) != 0) {
        wait_for(m, n, ISR_TCR);
    } else if ((c->cr2 & (CR2_AUTOEND | CR2_STOP)) != 0) {
        stop(m, n, when);
    } else {
        wait_for(m, n, ISR_TC);
    }
}

/* In TC: CR2 says what follows, and its other bits are for the transfer to come. */
static void complete(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    if ((c->cr2 & (CR2_START | CR2_STOP)) == 0)
        return;
    c->isr &= ~(uint32_t)ISR_TC;
    if ((c->cr2 & CR2_START) == 0) {
        stop(m, n, when);
        return;
    }
    c->element = I2C_RESTART;
    pulse(m, n, false, when);
}

/* Between bytes, SCL low: what comes next? */
static void next_byte(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    if (c->left == 0) {
        end(m, n, when);
    } else if ((c->cr2 & CR2_STOP) != 0) {
        stop(m, n, when);
    } else if (c->reading) {
        byte_begin(m, n, I2C_READ, 0x1ff, when);
    } else if ((c->isr & ISR_TXE) != 0) {
        wait_for(m, n, ISR_TXIS);
    } else {
        c->isr |= ISR_TXE;
        byte_begin(m, n, I2C_WRITE, c->txdr << 1 | 1, when);
    }
}

/* After the ninth bit. */
static void byte_end(struct takt_machine *m, unsigned n, bool refused, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    if (c->element == I2C_ADDRESS)
        c->cr2 &= ~(uint32_t)CR2_START;
    else
        c->left--;
    if (refused && c->element != I2C_READ) {
        c->isr |= ISR_TXE;
        flag(m, n, ISR_NACKF);
        stop(m, n, when);
    } else {
        next_byte(m, n, when);
    }
}

/* The bus asks when the byte before has just ended. */
bool f0_i2c_last(const struct takt_machine *m, unsigned n)
{
    const struct i2c *c = &m->f0->i2c[n];
    uint32_t left = c->left - (c->element == I2C_READ && c->bit == 9);
    return (left == 1 && (c->cr2 & CR2_RELOAD) == 0) || (c->cr2 & CR2_STOP) != 0;
}

/* Eight bits are in: to the register, if it is free; then they are acknowledged. */
static void received(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    if ((c->isr & ISR_RXNE) != 0) {
        wait_for(m, n, 0);
        return;
    }
    c->rxdr = c->shift >> 1 & 0xff;
    pulse(m, n, !f0_i2c_last(m, n), when);
    flag(m, n, ISR_RXNE);
}

/* The end of a bit's high time. SCL goes low, which the other side hears at once. */
static void bit_end(struct takt_machine *m, unsigned n, bool sda, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    uint32_t bit = c->bit++, sent = c->shift >> (8 - bit) & 1;
    if (c->element != I2C_READ && bit < 8 && sent != 0 && !sda) {
        lost(m, n, when);
        return;
    }
    if (c->element == I2C_READ && bit < 8 && !sda)
        c->shift &= ~(1u << (8 - bit));
    phase(m, n, I2C_SETUP, TAKT_NEVER);
    pull_scl(m, n, true, when);
    if (bit == 8)
        byte_end(m, n, sda, when);
    else if (bit == 7 && c->element == I2C_READ)
        received(m, n, when);
    else
        pulse_bit(m, n, when);
}

/* SDA rises: the bus is free, unless somebody holds it. */
static void stop_end(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    c->cr2 &= ~(uint32_t)CR2_STOP;
    phase(m, n, I2C_FREE, when + f0_i2c_low_time(m, n));
    pull_sda(m, n, false, when);
    if (!f0_i2c_line(m, c, I2C_SDA))
        lost(m, n, when);
    else
        flag(m, n, ISR_STOPF);
}

static void pulse_end(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    bool sda = f0_i2c_line(m, c, I2C_SDA);
    if (c->element == I2C_STOP) {
        stop_end(m, n, when);
    } else if (c->element != I2C_RESTART) {
        bit_end(m, n, sda, when);
    } else if (!sda) {
        lost(m, n, when);
    } else {
        phase(m, n, I2C_START, when + f0_i2c_high_time(m, n));
        pull_sda(m, n, true, when);
    }
}

/* START, when it is wanted and the bus is free; otherwise when that is so. */
static void start(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    if ((c->cr2 & CR2_START) == 0)
        return;
    if (c->pins[I2C_SDA].pins == 0 || c->pins[I2C_SCL].pins == 0)
        report_note(m, n == 0 ? "I2C1 starts, but no pin has its SDA or SCL function"
                              : "I2C2 starts, but no pin has its SDA or SCL function");
    f0_i2c_check_drains(m, n);
    bool high = f0_i2c_line(m, c, I2C_SDA) && f0_i2c_line(m, c, I2C_SCL);
    if (c->busy || !high) {
        phase(m, n, I2C_PENDING, TAKT_NEVER);
        return;
    }
    phase(m, n, I2C_START, when + f0_i2c_high_time(m, n));
    pull_sda(m, n, true, when);
}

static void address(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    phase(m, n, I2C_SETUP, TAKT_NEVER);
    pull_scl(m, n, true, when);
    c->reading = (c->cr2 & CR2_READ) != 0;
    c->left = c->cr2 >> 16 & 0xff;
    byte_begin(m, n, I2C_ADDRESS, (c->cr2 & 0xfe) << 1 | (uint32_t)c->reading << 1 | 1, when);
}

void f0_i2c_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    unsigned n = id - EV_I2C;
    struct i2c *c = i2c_of(m, n);
    uint64_t low = c->fell + f0_i2c_low_time(m, n), setup = when + f0_i2c_setup_time(m, n);
    switch (c->phase) {
    case I2C_START:
        address(m, n, when);
        break;
    case I2C_SETUP:
        phase(m, n, I2C_LOW, low > setup ? low : setup);
        pull_sda(m, n, c->next_sda_low, when);
        break;
    case I2C_LOW:
        phase(m, n, I2C_RISING, TAKT_NEVER);
        pull_scl(m, n, false, when);
        break;
    case I2C_HIGH:
        pulse_end(m, n, when);
        break;
    case I2C_FREE:
        phase(m, n, I2C_IDLE, TAKT_NEVER);
        start(m, n, when);
        break;
    case I2C_IDLE:
    case I2C_PENDING:
    case I2C_RISING:
    case I2C_WAITING:
        break;
    }
}

/* SCL low for want of data or of a decision: perhaps no longer. */
void f0_i2c_kick(struct takt_machine *m, unsigned n)
{
    struct i2c *c = i2c_of(m, n);
    if (c->phase == I2C_IDLE) {
        start(m, n, m->now);
    } else if (c->phase == I2C_WAITING && c->element == I2C_READ && c->bit == 8) {
        if ((c->isr & ISR_RXNE) == 0)
            received(m, n, m->now);
    } else if (c->phase == I2C_WAITING && (c->isr & ISR_TC) != 0) {
        complete(m, n, m->now);
    } else if (c->phase == I2C_WAITING) {
        c->isr &= ~(uint32_t)ISR_TXIS;
        next_byte(m, n, m->now);
    }
    f0_i2c_update_irq(m, n);
}

/* START or STOP on the wires; in the middle of a byte it is an error. */
static void condition_seen(struct takt_machine *m, unsigned n, bool free, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    bool inside = c->phase == I2C_HIGH && c->element < I2C_RESTART && c->bit > 0;
    c->busy = !free;
    if (inside)
        flag(m, n, ISR_BERR);
    if (free && (c->phase == I2C_IDLE || c->phase == I2C_PENDING))
        phase(m, n, I2C_FREE, when + f0_i2c_low_time(m, n));
}

/* A wire has moved, by whomever. */
void f0_i2c_lines(struct takt_machine *m, unsigned n, bool sda_moved, bool scl_moved, uint64_t when)
{
    struct i2c *c = i2c_of(m, n);
    bool scl = f0_i2c_line(m, c, I2C_SCL), on = (c->cr1 & CR1_PE) != 0;
    if (!on || c->pins[I2C_SDA].pins == 0 || c->pins[I2C_SCL].pins == 0)
        return;
    f0_i2c_watch(m, n, scl, when);
    if (scl_moved && scl && c->phase == I2C_RISING)
        phase(m, n, I2C_HIGH, when + f0_i2c_high_time(m, n));
    else if (scl_moved && !scl && c->phase == I2C_HIGH && c->element >= I2C_RESTART)
        phase(m, n, I2C_RISING, TAKT_NEVER);
    else if (scl_moved && !scl && c->phase == I2C_HIGH)
        pulse_end(m, n, when);
    else if (sda_moved && !scl_moved && scl)
        condition_seen(m, n, f0_i2c_line(m, c, I2C_SDA), when);
}
