/*
 * The I2C controller of the RP2040, a DesignWare DW_apb_i2c (data sheet 4.3): every byte to be
 * written or read is a command in a FIFO of 16, bytes read come back through another. With no
 * command left the controller holds the clock until the next, so late is never wrong.
 *
 *   out, in_len --> commands [16] --> wire --> [16] received --> in
 *                    asks at 4 left             asks at 12 held
 *
 * No more bytes are asked for than the second FIFO has room for. A transfer of up to 16 bytes is
 * given away whole, and the only interrupt is that of its stop.
 */
#include <takt/types.h>

#include "bus.h"

enum {
    CON_CONTROLLER = 1u << 0,
    CON_FAST = 2u << 1,
    CON_RESTART = 1u << 5,
    CON_NO_TARGET = 1u << 6,
    CMD_READ = 1u << 8,
    CMD_STOP = 1u << 9,
    CMD_RESTART = 1u << 10,
    INT_RX_FULL = 1u << 2,
    INT_TX_EMPTY = 1u << 4,
    INT_ABORT = 1u << 6,
    INT_STOP = 1u << 9,
    ABORT_NO_ADDRESS_ACK = 1u << 0,
    ABORT_NO_DATA_ACK = 1u << 3,
    DEPTH = 16,
    SPIKES = RP2040_SYS_HZ / 20000000u,                   /* 50 ns */
    DATA_HOLD = RP2040_SYS_HZ / 1000000u * 3u / 10u + 1u, /* 300 ns */
    TX_LEFT = 4,  /* asks for commands at so many or fewer */
    RX_HELD = 12, /* asks for bytes to be taken at so many or more */
};

/* 3/5 of a period low, as the fast mode wants; the controller adds 1 cycle to the low time, 7 and
 * those of the spike filter to the high time (4.3.14.1). */
uint32_t i2c_fifo_clock(uint32_t hz)
{
    uint32_t period = (RP2040_SYS_HZ + hz - 1u) / hz;
    uint32_t low = period * 3u / 5u;
    return (low - 1u) << 16 | (period - low - SPIKES - 7u);
}

void i2c_fifo_reset(struct i2c_bus *bus)
{
    struct rp2040_i2c *hw = bus->chip.hw;
    uint32_t clock = bus->clock;
    i2c_chip_stop(&bus->chip);
    rp2040_release(bus->chip.reset);
    hw->enable = 0;
    hw->intr_mask = 0;
    hw->con = CON_CONTROLLER | CON_FAST | CON_RESTART | CON_NO_TARGET;
    hw->tx_tl = TX_LEFT;
    hw->rx_tl = RX_HELD - 1;
    hw->fs_spklen = SPIKES;
    hw->fs_lcnt = clock >> 16;
    hw->fs_hcnt = clock & 0xFFFFu;
    hw->sda_hold = DATA_HOLD;
    bus->set_clock = clock;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void take(struct rp2040_i2c *hw, struct i2c_transfer *t)
{
    uint8_t *to = t->in + t->received, *end = to + least(hw->rxflr, t->in_len - t->received);
    t->received = (uint32_t)(end - t->in);
    while (to != end)
        *to++ = (uint8_t)hw->data_cmd;
}

/* Gives the next commands, up to number `end`. */
static void give(struct rp2040_i2c *hw, struct i2c_transfer *t, uint32_t end)
{
    uint32_t n = t->commanded, last = t->out_len + t->in_len - 1u;
    const uint8_t *out = t->out;
    for (uint32_t plain = least(least(end, t->out_len), last); n < plain; n++)
        hw->data_cmd = out[n];
    if (n == last && n < least(end, t->out_len))
        hw->data_cmd = out[n++] | (uint32_t)CMD_STOP;
    uint32_t restart = n == t->out_len && n > 0 ? CMD_RESTART : 0;
    for (; n < end; n++, restart = 0)
        hw->data_cmd = restart | CMD_READ | (n == last ? CMD_STOP : 0u);
    t->commanded = end;
}

/* Takes and gives what is possible, and asks for the interrupt that comes when more is. */
static void feed(struct rp2040_i2c *hw, struct i2c_transfer *t)
{
    take(hw, t);
    uint32_t total = t->out_len + t->in_len;
    uint32_t asked_most = t->out_len + t->received + DEPTH; /* what comes back must have room */
    give(hw, t, least(least(total, asked_most), t->commanded + DEPTH - hw->txflr));
    uint32_t more = t->commanded == asked_most ? INT_RX_FULL : INT_TX_EMPTY;
    hw->intr_mask = INT_ABORT | INT_STOP | (t->commanded < total ? more : 0u);
}

void i2c_fifo_start(struct i2c_bus *bus)
{
    struct rp2040_i2c *hw = bus->chip.hw;
    struct i2c_transfer *t = i2c_current(bus);
    if (bus->set_clock != bus->clock)
        i2c_fifo_reset(bus);
    bus->refusal = TAKT_OK;
    hw->enable = 0; /* empties the FIFOs */
    hw->tar = t->address;
    hw->enable = 1;
    (void)hw->clr_intr;
    feed(hw, t);
}

/* The controller has dropped the rest: why? */
static enum i2c_progress aborted(struct i2c_bus *bus)
{
    uint32_t source = bus->chip.hw->tx_abrt_source;
    (void)bus->chip.hw->clr_tx_abrt;
    bus->chip.hw->intr_mask = INT_STOP;
    if (!(source & (ABORT_NO_ADDRESS_ACK | ABORT_NO_DATA_ACK)))
        return I2C_LOST;
    bus->refusal = source & ABORT_NO_ADDRESS_ACK ? TAKT_ENACK : TAKT_EREFUSED;
    return I2C_GOES_ON; /* to the stop */
}

enum i2c_progress i2c_fifo_serve(struct i2c_bus *bus)
{
    struct rp2040_i2c *hw = bus->chip.hw;
    struct i2c_transfer *t = i2c_current(bus);
    if ((hw->raw_intr_stat & INT_ABORT) && aborted(bus) == I2C_LOST)
        return I2C_LOST;
    if (hw->raw_intr_stat & INT_STOP) {
        take(hw, t);
        hw->intr_mask = 0;
        (void)hw->clr_intr;
        bool whole = t->received == t->in_len;
        return bus->refusal != TAKT_OK || whole ? I2C_OVER : I2C_LOST;
    }
    if (bus->refusal == TAKT_OK)
        feed(hw, t);
    return I2C_GOES_ON;
}

void isr_i2c0(void)
{
    i2c_serve_controller(0, RP2040_IRQ_I2C0);
}

void isr_i2c1(void)
{
    i2c_serve_controller(1, RP2040_IRQ_I2C1);
}

void isr_timer1(void)
{
    i2c_serve_alarm(0, RP2040_IRQ_TIMER1);
}

void isr_timer2(void)
{
    i2c_serve_alarm(1, RP2040_IRQ_TIMER2);
}
