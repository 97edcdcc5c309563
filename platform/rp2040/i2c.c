/*
 * I2C: registers, FIFOs and interrupts of the two DW_apb_i2c. Masters only; the slave half is
 * reported when the program turns it on. ic_clk is clk_sys.
 */
#include <string.h>

#include "rp2040.h"

#define LATCHED                                                                                    \
    (I2C_RX_UNDER | I2C_RX_OVER | I2C_TX_OVER | I2C_TX_ABRT | I2C_ACTIVITY | I2C_STOP_DET |        \
     I2C_START_DET)

static const char *const names[2] = {"I2C0", "I2C1"};

static struct i2c *i2c_of(struct takt_machine *m, unsigned n)
{
    return &m->soc->i2c[n];
}

static void report(struct takt_machine *m, unsigned n, const char *what, uint32_t offset,
                   bool write, uint32_t value)
{
    report_access(m, what != NULL ? what : names[n], 0x40044000u + n * 0x4000 + offset, offset,
                  write, value);
}

static bool active(const struct i2c *c)
{
    return c->phase != I2C_IDLE && c->phase != I2C_FREE;
}

/* RAW_INTR_STAT: what is latched, and what follows from the FIFOs. */
static uint32_t raw(const struct i2c *c)
{
    uint32_t bits = c->raw;
    bool on = (c->enable & 1) != 0;
    bool working = (c->con & I2C_CON_EMPTY) != 0 && c->in_command;
    if (on && c->tx_count <= c->tx_tl && !working)
        bits |= I2C_TX_EMPTY;
    if (on && c->rx_count > c->rx_tl)
        bits |= I2C_RX_FULL;
    return bits;
}

void i2c_update_irq(struct takt_machine *m, unsigned n)
{
    const struct i2c *c = i2c_of(m, n);
    irq_line(m, IRQ_I2C0 + n, (raw(c) & c->mask) != 0);
    dma_look(m);
}

void i2c_flush(struct i2c *c)
{
    c->tx_count = c->rx_count = 0;
}

static uint32_t read_data(struct takt_machine *m, unsigned n)
{
    struct i2c *c = i2c_of(m, n);
    if (c->rx_count == 0) {
        c->raw |= (c->enable & 1) != 0 ? I2C_RX_UNDER : 0;
        i2c_update_irq(m, n);
        return 0;
    }
    uint32_t value = c->rx[c->rx_head];
    c->rx_head = (c->rx_head + 1) % I2C_FIFO;
    c->rx_count--;
    i2c_update_irq(m, n);
    i2c_kick(m, n);
    return value;
}

static void write_data(struct takt_machine *m, unsigned n, uint32_t value)
{
    struct i2c *c = i2c_of(m, n);
    if ((c->enable & 1) == 0)
        report(m, n, "I2C while disabled", 0x10, true, value);
    if ((c->enable & 1) == 0 || c->flushed)
        return;
    if (c->tx_count == I2C_FIFO)
        c->raw |= I2C_TX_OVER;
    else
        c->tx[(c->tx_head + c->tx_count++) % I2C_FIFO] = value & 0x7ff;
    i2c_update_irq(m, n);
    i2c_kick(m, n);
}

static uint32_t status(const struct i2c *c)
{
    bool busy = active(c);
    return (busy ? 0x21u : 0) | (c->tx_count < I2C_FIFO ? 2u : 0) | (c->tx_count == 0 ? 4u : 0) |
           (c->rx_count != 0 ? 8u : 0) | (c->rx_count == I2C_FIFO ? 0x10u : 0);
}

/* The CLR registers: reading one clears. The abort's source and the flushed state go with it. */
static uint32_t clear(struct takt_machine *m, unsigned n, uint32_t bits)
{
    struct i2c *c = i2c_of(m, n);
    uint32_t was = (c->raw & bits) != 0;
    c->raw &= ~bits;
    if (active(c))
        c->raw |= I2C_ACTIVITY;
    if ((bits & I2C_TX_ABRT) != 0) {
        c->abort_source = 0;
        c->flushed = false;
    }
    i2c_update_irq(m, n);
    return was;
}

/* Registers that read as they are; NULL: not one of them. */
static const uint32_t *plain(const struct i2c *c, uint32_t offset)
{
    const uint32_t *const at[41] = {
        [0] = &c->con,           [1] = &c->tar,     [2] = &c->sar,           [5] = &c->hcnt[0],
        [6] = &c->lcnt[0],       [7] = &c->hcnt[1], [8] = &c->lcnt[1],       [12] = &c->mask,
        [14] = &c->rx_tl,        [15] = &c->tx_tl,  [27] = &c->enable,       [29] = &c->tx_count,
        [30] = &c->rx_count,     [31] = &c->hold,   [32] = &c->abort_source, [33] = &c->nack_only,
        [34] = &c->dma[0],       [35] = &c->dma[1], [36] = &c->dma[2],       [37] = &c->sda_setup,
        [38] = &c->general_call, [40] = &c->spklen,
    };
    return offset <= 0xa0 ? at[offset / 4] : NULL;
}

static uint32_t i2c_read(struct takt_machine *m, unsigned n, uint32_t offset)
{
    static const uint16_t clears[11] = {
        LATCHED, I2C_RX_UNDER, I2C_RX_OVER,  I2C_TX_OVER,   1u << 5,  I2C_TX_ABRT,
        1u << 7, I2C_ACTIVITY, I2C_STOP_DET, I2C_START_DET, 1u << 11,
    };
    const struct i2c *c = i2c_of(m, n);
    if (offset == 0x10)
        return read_data(m, n);
    if (offset >= 0x40 && offset <= 0x68)
        return clear(m, n, clears[(offset - 0x40) / 4]);
    if (plain(c, offset) != NULL)
        return *plain(c, offset);
    switch (offset) {
    case 0x2c:
        return raw(c) & c->mask;
    case 0x34:
        return raw(c);
    case 0x70:
        return status(c);
    case 0x9c:
        return (c->enable & 1) | c->closing;
    case 0xa8: /* CLR_RESTART_DET */
    case 0xf4: /* COMP_PARAM_1 */
        return 0;
    case 0xf8:
        return 0x3230312a;
    case 0xfc:
        return 0x44570140;
    }
    report(m, n, NULL, offset, false, 0);
    return 0;
}

static void write_enable(struct takt_machine *m, unsigned n, uint32_t value)
{
    struct i2c *c = i2c_of(m, n);
    bool was = (c->enable & 1) != 0, on = (value & 1) != 0;
    c->enable = value & 5;
    if (was && !on) {
        c->raw &= ~(uint32_t)(I2C_RX_UNDER | I2C_RX_OVER | I2C_TX_OVER | I2C_ACTIVITY);
        c->closing = active(c);
        c->busy = c->closing;
        i2c_flush(c);
    } else if (was && (value & 2) != 0 && active(c)) {
        c->abort = true;
        c->enable |= 2;
    }
    i2c_update_irq(m, n);
    i2c_kick(m, n);
}

static uint32_t at_least(uint32_t value, uint32_t least)
{
    return value < least ? least : value;
}

static void write_control(struct takt_machine *m, unsigned n, uint32_t value)
{
    i2c_of(m, n)->con = value & 0x3ff;
    if ((value & 0x40) == 0)
        report(m, n, "I2C slave", 0x00, true, value);
    if ((value & 0x10) != 0)
        report(m, n, "I2C with 10-bit addresses", 0x00, true, value);
}

static void write_target(struct takt_machine *m, unsigned n, uint32_t value)
{
    i2c_of(m, n)->tar = value & 0xfff;
    if ((value & 0x800) != 0)
        report(m, n, "I2C general call, START byte", 0x04, true, value);
}

/* Registers that only take a value while the controller is disabled. False: no such register. */
static bool configure(struct takt_machine *m, unsigned n, uint32_t offset, uint32_t value)
{
    struct i2c *c = i2c_of(m, n);
    switch (offset) {
    case 0x00:
        write_control(m, n, value);
        return true;
    case 0x04:
        write_target(m, n, value);
        return true;
    case 0x08:
        c->sar = value & 0x3ff;
        return true;
    case 0x14:
    case 0x1c:
        c->hcnt[offset / 8 - 2] = at_least(value & 0xffff, 6);
        return true;
    case 0x18:
    case 0x20:
        c->lcnt[offset / 8 - 3] = at_least(value & 0xffff, 8);
        return true;
    case 0x7c:
        c->hold = value & 0xffffff;
        return true;
    case 0xa0:
        c->spklen = at_least(value & 0xff, 1);
        return true;
    }
    return false;
}

static bool configurable(uint32_t offset)
{
    return offset <= 0x08 || (offset >= 0x14 && offset <= 0x20) || offset == 0x7c || offset == 0xa0;
}

static uint32_t threshold(uint32_t value)
{
    return (value & 0xff) < I2C_FIFO ? value & 0xff : I2C_FIFO;
}

static void i2c_write(struct takt_machine *m, unsigned n, uint32_t offset, uint32_t value)
{
    struct i2c *c = i2c_of(m, n);
    if (offset == 0x10) {
        write_data(m, n, value);
    } else if (offset == 0x6c) {
        write_enable(m, n, value);
    } else if (configurable(offset)) {
        bool open = (c->enable & 1) != 0 || c->closing;
        if (open || !configure(m, n, offset, value))
            report(m, n, open ? "I2C while enabled" : NULL, offset, true, value);
    } else if (offset == 0x30) {
        c->mask = value & 0x1fff;
    } else if (offset == 0x38) {
        c->rx_tl = threshold(value);
    } else if (offset == 0x3c) {
        c->tx_tl = threshold(value);
    } else if (offset == 0x94) {
        c->sda_setup = value & 0xff;
    } else if (offset == 0x98) {
        c->general_call = value & 1;
    } else if (offset >= 0x88 && offset <= 0x90) {
        c->dma[(offset - 0x88) / 4] = value & 15;
    } else {
        report(m, n, NULL, offset, true, value);
    }
    i2c_update_irq(m, n);
}

static void i2c_reset(struct takt_machine *m, unsigned n)
{
    struct i2c *c = i2c_of(m, n);
    i2c_release(m, n, m->now);
    *c = (struct i2c){
        .con = 0x65,
        .tar = 0x55,
        .sar = 0x55,
        .mask = 0x8ff,
        .hold = 1,
        .spklen = 7,
        .hcnt = {0x28, 0x06},
        .lcnt = {0x2f, 0x0d},
        .sda_setup = 0x64,
        .general_call = 1,
        .pins = {c->pins[0], c->pins[1]},
    };
    i2c_update_irq(m, n);
}

#define I2C(name, n)                                                                               \
    static void name##_reset(struct takt_machine *m)                                               \
    {                                                                                              \
        i2c_reset(m, n);                                                                           \
    }                                                                                              \
    static uint32_t name##_read(struct takt_machine *m, uint32_t offset)                           \
    {                                                                                              \
        return i2c_read(m, n, offset);                                                             \
    }                                                                                              \
    static void name##_write(struct takt_machine *m, uint32_t offset, uint32_t value)              \
    {                                                                                              \
        i2c_write(m, n, offset, value);                                                            \
    }

I2C(i2c0, 0)
I2C(i2c1, 1)

const struct device i2c0_device = {"I2C0", 0x40044000, 3, i2c0_read, i2c0_write, i2c0_reset};
const struct device i2c1_device = {"I2C1", 0x40048000, 4, i2c1_read, i2c1_write, i2c1_reset};
