/*
 * An I2C bus, as its parts see it: transfer.c is what threads call, serve.c decides whose turn it
 * is and when it has lasted too long, <chip>_fifo.c moves bytes through the controller, lines.c
 * moves the lines by hand where the controller cannot. The last three run in the bus's interrupts
 * only, of which none interrupts another.
 */
#ifndef TAKT_I2C_BUS_H
#define TAKT_I2C_BUS_H

#include "../bus/queue.h"
#include <i2c/chip_i2c.h>

/* On the stack of the calling thread. */
struct i2c_transfer {
    struct bus_request request; /* first */
    const uint8_t *out;
    uint8_t *in;
    uint32_t out_len, in_len, timeout_us;
    uint32_t commanded; /* bytes of both directions given to the controller as commands */
    uint32_t received;
    uint8_t address;
};

/* What is being done with the lines by hand, see lines.c. */
struct i2c_lines {
    uint8_t phase;    /* enum phase */
    uint8_t left;     /* clocks to come */
    uint8_t patience; /* steps for which SCL may be held low */
    bool probing;
    bool clean; /* every bit sent was seen on the wire */
    bool acknowledged;
    uint16_t bits; /* next bit in bit 15 */
};

enum i2c_state {
    I2C_IDLE,
    I2C_MOVING,   /* the controller works */
    I2C_PROBING,  /* by hand: is a device there? */
    I2C_FREEING,  /* by hand: after the transaction went wrong */
    I2C_CLEARING, /* by hand: before the transaction, a line was low */
};

struct i2c_bus {
    struct i2c_chip chip;
    struct bus_queue queue;
    enum i2c_state state;
    uint32_t set_clock; /* what the controller is set to; 0: not set up */
    takt_time_t due;    /* of the alarm */
    bool alarm_armed;
    int refusal; /* TAKT_ENACK or TAKT_EREFUSED: the controller is about to stop */
    int why;     /* result after I2C_FREEING */
    struct i2c_lines lines;
    /* written by threads, while the queue is empty but for the clock */
    volatile uint32_t clock; /* from i2c_fifo_clock() */
    uint8_t sda, scl;
    bool open;
};

extern struct i2c_bus i2c_buses[];

static inline struct i2c_transfer *i2c_current(struct i2c_bus *bus)
{
    return (struct i2c_transfer *)bus->queue.current;
}

/* Register values for a clock. Any context. */
uint32_t i2c_fifo_clock(uint32_t hz);

/* Resets the controller and sets its clock. */
void i2c_fifo_reset(struct i2c_bus *bus);

/* Starts the current transfer, of at least one byte. */
void i2c_fifo_start(struct i2c_bus *bus);

enum i2c_progress {
    I2C_GOES_ON,
    I2C_OVER,  /* with bus->refusal as result, TAKT_OK when all went well */
    I2C_STOPS, /* all has been moved; a device holds the clock: to be asked again in a step */
    I2C_LOST,  /* the bus is another master's */
};

/* Does what there is to do; call at every interrupt of the controller. */
enum i2c_progress i2c_fifo_serve(struct i2c_bus *bus);

/* What the interrupts of the chip call, unbracketed. */
void i2c_serve_controller(uint8_t n, uint8_t irq);
void i2c_serve_alarm(uint8_t n, uint8_t irq);

/* Distance of the steps below, us. */
#define I2C_STEP_US 100u

/* Takes the pins from the controller. Then i2c_lines_step() is to be called every I2C_STEP_US until
 * it returns another result than TAKT_EAGAIN; the pins are the controller's again then. */
void i2c_lines_free(struct i2c_bus *bus);                   /* TAKT_OK or TAKT_EBUS */
void i2c_lines_probe(struct i2c_bus *bus, uint8_t address); /* also TAKT_ENACK, TAKT_ETIMEOUT */
int i2c_lines_step(struct i2c_bus *bus);

/* Are both lines high? */
bool i2c_lines_high(const struct i2c_bus *bus);

#endif
