/* I2C: two controllers (DW_apb_i2c, as masters). The buses are in core/i2c_bus.c. */
#ifndef TAKT_I2C_H
#define TAKT_I2C_H

#include "../core/machine.h"

#define I2C_FIFO 16u

/*
 * The master's clock. Everything after START is made of pulses, each SETUP, LOW, RISING, HIGH:
 * nine a byte, one for a repeated START, one for STOP.
 *
 *   SDA  --.   <setup> bit ...
 *   SCL  ----.________________/--------.____
 *        START  SETUP  LOW   RISING HIGH
 */
enum i2c_phase {
    I2C_IDLE,
    I2C_START,   /* SDA low, SCL still high */
    I2C_SETUP,   /* SCL low, SDA not yet changed */
    I2C_LOW,     /* SCL low, SDA valid */
    I2C_RISING,  /* SCL let go, but not high yet */
    I2C_HIGH,    /* SCL high */
    I2C_WAITING, /* SCL low until the program goes on, see `wait` */
    I2C_FREE,    /* after STOP, before another START */
};

enum i2c_element { I2C_ADDRESS, I2C_WRITE, I2C_READ, I2C_RESTART, I2C_STOP };
enum i2c_wait { I2C_WAIT_COMMAND, I2C_WAIT_ACK, I2C_WAIT_ROOM };

struct i2c {
    /* registers */
    uint32_t con, tar, enable, mask, raw, rx_tl, tx_tl, abort_source;
    uint32_t hcnt[2], lcnt[2], spklen, hold; /* counts: standard, fast */
    uint32_t sar, nack_only, sda_setup, general_call, dma[3];
    uint16_t tx[I2C_FIFO];
    uint8_t rx[I2C_FIFO];
    uint32_t tx_head, tx_count, rx_head, rx_count;
    bool flushed; /* after an abort, until CLR_TX_ABRT is read */

    /* master */
    enum i2c_phase phase;
    enum i2c_element element;
    enum i2c_wait wait;
    uint32_t bit, shift, command; /* of the byte under way */
    uint64_t fell;                /* when SCL went low */
    bool sda_low, scl_low;        /* what the controller pulls */
    bool next_sda_low;            /* after SETUP */
    bool reading, first;          /* direction; first command after the address */
    bool in_command;              /* a command is taken and not done */
    bool busy;                    /* START seen, STOP not yet */
    bool closing, abort;          /* disabled or aborted while active */
    uint32_t pins[2];             /* with the I2C function */
};

/* i2c.c */
void i2c_update_irq(struct takt_machine *m, unsigned n);
void i2c_flush(struct i2c *c);
/* i2c_master.c */
void i2c_wire(struct takt_machine *m); /* functions of pins have changed */
void i2c_event(struct takt_machine *m, unsigned id, uint64_t when);
void i2c_kick(struct takt_machine *m, unsigned n); /* the program has done something */
void i2c_abort(struct takt_machine *m, unsigned n, uint32_t source);
void i2c_release(struct takt_machine *m, unsigned n, uint64_t when);
void i2c_lines(struct takt_machine *m, unsigned n, bool sda_moved, bool scl_moved, uint64_t when);
bool i2c_last(const struct takt_machine *m, unsigned n);
enum {
    I2C_RX_UNDER = 1,
    I2C_RX_OVER = 2,
    I2C_RX_FULL = 4,
    I2C_TX_OVER = 8,
    I2C_TX_EMPTY = 0x10,
    I2C_TX_ABRT = 0x40,
    I2C_ACTIVITY = 0x100,
    I2C_STOP_DET = 0x200,
    I2C_START_DET = 0x400,
};
enum { I2C_CON_MASTER = 1, I2C_CON_RESTART = 0x20, I2C_CON_EMPTY = 0x100, I2C_CON_HOLD = 0x200 };
enum { I2C_CMD_READ = 0x100, I2C_CMD_STOP = 0x200, I2C_CMD_RESTART = 0x400 };
enum {
    I2C_ADDRESS_NACK = 1,
    I2C_DATA_NACK = 8,
    I2C_MASTER_DISABLED = 0x800,
    I2C_LOST = 0x1000,
    I2C_USER = 0x10000,
};

#endif
