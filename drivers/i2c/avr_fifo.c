/*
 * The two-wire interface of an ATmega as controller (ATmega328P data sheet 22). It has no FIFO:
 * every byte is an interrupt, and the controller holds the clock until it is served, so late is
 * never wrong.
 *
 *   START address, out_len bytes [, START address, in_len bytes] STOP
 *
 * Nothing interrupts when a stop is out, so that is waited for: half a clock, and in steps of the
 * alarm while a device holds the clock.
 */
#include <takt/i2c.h>

#include "avr_twi.h"
#include "bus.h"

#define GO      ((uint8_t)(1u << TWINT | 1u << TWEN | 1u << TWIE))
#define CLOCKED 0x10000u /* in a clock: it is one */

static bool stopping; /* all has been moved */

uint32_t i2c_fifo_clock(uint32_t hz)
{
    return CLOCKED | avr_twi_clock(hz);
}

void i2c_fifo_reset(struct i2c_bus *bus)
{
    uint32_t clock = bus->clock;
    avr_twi_start((uint16_t)clock);
    bus->set_clock = clock;
}

void i2c_fifo_start(struct i2c_bus *bus)
{
    if (bus->set_clock != bus->clock)
        i2c_fifo_reset(bus);
    bus->refusal = TAKT_OK;
    stopping = false;
    TWCR = GO | 1u << TWSTA;
}

static enum i2c_progress stop(struct i2c_bus *bus, int refusal)
{
    bus->refusal = refusal;
    stopping = true;
    TWCR = 1u << TWINT | 1u << TWEN | 1u << TWSTO;
    for (uint8_t patience = 60; patience > 0; patience--)
        if (!(TWCR & (1u << TWSTO)))
            return I2C_OVER;
    return I2C_STOPS;
}

static void address(const struct i2c_transfer *t)
{
    bool read = t->in_len > 0 && t->commanded == t->out_len;
    TWDR = (uint8_t)(t->address << 1 | read);
    TWCR = GO;
}

static enum i2c_progress write_next(struct i2c_bus *bus, struct i2c_transfer *t)
{
    if (t->commanded < t->out_len) {
        TWDR = t->out[t->commanded++];
        TWCR = GO;
    } else if (t->in_len > 0) {
        TWCR = GO | 1u << TWSTA;
    } else {
        return stop(bus, TAKT_OK);
    }
    return I2C_GOES_ON;
}

/* All but the last are acknowledged. */
static enum i2c_progress read_next(struct i2c_bus *bus, struct i2c_transfer *t)
{
    if (t->received == t->in_len)
        return stop(bus, TAKT_OK);
    TWCR = (uint8_t)(t->in_len - t->received > 1u ? GO | 1u << TWEA : GO);
    return I2C_GOES_ON;
}

enum i2c_progress i2c_fifo_serve(struct i2c_bus *bus)
{
    struct i2c_transfer *t = i2c_current(bus);
    if (stopping)
        return TWCR & (1u << TWSTO) ? I2C_STOPS : I2C_OVER;
    if (!(TWCR & (1u << TWINT)))
        return I2C_GOES_ON;
    switch (TWSR & TWI_STATUS) {
    case TWI_STARTED:
    case TWI_STARTED_AGAIN:
        address(t);
        return I2C_GOES_ON;
    case TWI_ADDRESSED_TO_WRITE:
    case TWI_WRITTEN:
        return write_next(bus, t);
    case TWI_UNANSWERED_WRITE:
    case TWI_UNANSWERED_READ:
        return stop(bus, TAKT_ENACK);
    case TWI_REFUSED:
        return stop(bus, TAKT_EREFUSED);
    case TWI_READ:
    case TWI_READ_LAST:
        t->in[t->received++] = TWDR;
        return read_next(bus, t);
    case TWI_ADDRESSED_TO_READ:
        return read_next(bus, t);
    default: /* another controller, or noise */
        return I2C_LOST;
    }
}

void i2c_chip_rang(struct avr_alarm *alarm)
{
    TAKT_FACT("called alarm");
    (void)alarm;
    i2c_serve_alarm(0, TWI_vect_num);
}

void i2c_chip_kicked(struct avr_alarm *alarm)
{
    TAKT_FACT("called alarm");
    (void)alarm;
    i2c_serve_controller(0, TWI_vect_num);
}

PORT_ISR(TWI)
{
    i2c_serve_controller(0, TWI_vect_num);
}
