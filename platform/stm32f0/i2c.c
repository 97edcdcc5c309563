/*
 * I2C1 and 2: registers and interrupts. Masters only; the slave half, 10-bit addresses, SMBus and
 * DMA are reported when the program turns them on.
 */
#include "i2c.h"

static struct i2c *i2c_of(struct takt_machine *m, unsigned n)
{
    return &m->f0->i2c[n];
}

static void report(struct takt_machine *m, unsigned n, uint32_t offset, bool write, uint32_t value)
{
    const struct device *d = &f0_i2c_devices[n];
    report_device(m, d->name, d->base, offset, write, value);
}

void f0_i2c_update_irq(struct takt_machine *m, unsigned n)
{
    const struct i2c *c = i2c_of(m, n);
    static const struct {
        uint32_t flags, enable;
    } of[] = {
        {ISR_TXIS, CR1_TXIE},    {ISR_RXNE, CR1_RXIE},         {ISR_NACKF, CR1_NACKIE},
        {ISR_STOPF, CR1_STOPIE}, {ISR_TC | ISR_TCR, CR1_TCIE}, {ISR_ERRORS, CR1_ERRIE},
    };
    bool any = false;
    for (unsigned k = 0; k < sizeof of / sizeof of[0]; k++)
        any = any || ((c->cr1 & of[k].enable) != 0 && (c->isr & of[k].flags) != 0);
    irq_line(m, IRQ_I2C1 + n, any);
}

static uint32_t read_data(struct takt_machine *m, unsigned n)
{
    struct i2c *c = i2c_of(m, n);
    uint32_t value = c->rxdr;
    c->isr &= ~(uint32_t)ISR_RXNE;
    f0_i2c_kick(m, n);
    f0_i2c_update_irq(m, n);
    return value;
}

static uint32_t i2c_read(struct takt_machine *m, unsigned n, uint32_t offset)
{
    const struct i2c *c = i2c_of(m, n);
    const uint32_t value[11] = {c->cr1,
                                c->cr2,
                                c->oar[0],
                                c->oar[1],
                                c->timingr,
                                c->timeoutr,
                                c->isr | (c->busy ? (uint32_t)ISR_BUSY : 0),
                                0,
                                0,
                                0,
                                c->txdr};
    if (offset == 0x24)
        return read_data(m, n);
    if (offset < sizeof value)
        return value[offset / 4];
    report(m, n, offset, false, 0);
    return 0;
}

static void write_enable(struct takt_machine *m, unsigned n, uint32_t value)
{
    struct i2c *c = i2c_of(m, n);
    if ((value & ~(uint32_t)CR1_MODELLED) != 0)
        report(m, n, 0x00, true, value);
    c->cr1 = value & 0x00ffdfff;
    if ((value & CR1_PE) == 0) {
        f0_i2c_release(m, n, m->now);
        c->isr = ISR_TXE;
        c->cr2 &= ~(uint32_t)(CR2_START | CR2_STOP | CR2_NACK);
        c->busy = false;
    }
}

/* START, STOP and NACK are set by writing 1; hardware clears them. */
static void write_transfer(struct takt_machine *m, unsigned n, uint32_t value)
{
    struct i2c *c = i2c_of(m, n);
    uint32_t keep = c->cr2 & (CR2_START | CR2_STOP);
    if ((value & CR2_ODD) != 0)
        report(m, n, 0x04, true, value);
    c->cr2 = (value & 0x07ffffff) | keep;
    if ((c->cr1 & CR1_PE) == 0) {
        c->cr2 &= ~(uint32_t)(CR2_START | CR2_STOP);
        return;
    }
    if ((c->isr & ISR_TCR) != 0 && (value >> 16 & 0xff) != 0) {
        c->isr &= ~(uint32_t)ISR_TCR;
        c->left = value >> 16 & 0xff;
    }
    f0_i2c_kick(m, n);
}

static void write_data(struct takt_machine *m, unsigned n, uint32_t value)
{
    struct i2c *c = i2c_of(m, n);
    c->txdr = value & 0xff;
    c->isr &= ~(uint32_t)(ISR_TXE | ISR_TXIS);
    f0_i2c_kick(m, n);
}

static void i2c_write(struct takt_machine *m, unsigned n, uint32_t offset, uint32_t value)
{
    struct i2c *c = i2c_of(m, n);
    if (offset == 0x00) {
        write_enable(m, n, value);
    } else if (offset == 0x04) {
        write_transfer(m, n, value);
    } else if (offset == 0x10) {
        if ((c->cr1 & CR1_PE) != 0)
            report_note(m, "I2C timing written while enabled");
        c->timingr = value & 0xf0ffffff;
    } else if (offset == 0x14) {
        c->timeoutr = value;
        if ((value & 1u << 31) != 0)
            report(m, n, offset, true, value);
    } else if (offset == 0x18) {
        c->isr |= value & ISR_TXE;
    } else if (offset == 0x1c) {
        c->isr &= ~(value & ISR_CLEARABLE);
    } else if (offset == 0x28) {
        write_data(m, n, value);
    } else {
        if (offset == 0x08 || offset == 0x0c)
            c->oar[offset / 4 - 2] = value & 0x87ff;
        if (offset > 0x0c || (value & 0x8000) != 0)
            report(m, n, offset, true, value);
    }
    f0_i2c_update_irq(m, n);
}

static void i2c_reset(struct takt_machine *m, unsigned n)
{
    struct i2c *c = i2c_of(m, n);
    f0_i2c_release(m, n, m->now);
    *c = (struct i2c){.isr = ISR_TXE, .pins = {c->pins[0], c->pins[1]}};
    event_set(m, EV_I2C_TIMEOUT + n, TAKT_NEVER);
    f0_i2c_update_irq(m, n);
}

#define I2C(lower, n)                                                                              \
    static uint32_t lower##_read(struct takt_machine *m, uint32_t offset)                          \
    {                                                                                              \
        return i2c_read(m, n, offset);                                                             \
    }                                                                                              \
    static void lower##_write(struct takt_machine *m, uint32_t offset, uint32_t value)             \
    {                                                                                              \
        i2c_write(m, n, offset, value);                                                            \
    }                                                                                              \
    static void lower##_reset(struct takt_machine *m)                                              \
    {                                                                                              \
        i2c_reset(m, n);                                                                           \
    }

I2C(i2c1, 0)
I2C(i2c2, 1)

const struct device f0_i2c_devices[2] = {
    {"I2C1", 0x40005400, ON_APB1, 21, i2c1_read, i2c1_write, i2c1_reset},
    {"I2C2", 0x40005800, ON_APB1, 22, i2c2_read, i2c2_write, i2c2_reset},
};
