/*
 * What the I2C driver needs of an ATmega beside avr_fifo.c. There is one bus, on the pins SDA and
 * SCL. Its handler is run by an alarm where nothing else makes it run.
 */
#ifndef TAKT_I2C_CHIP_H
#define TAKT_I2C_CHIP_H

#include <avr/avr_alarm.h>
#include <avr/avr_pins.h>
#include <gpio/chip_gpio.h>
#include <takt/port.h>

struct i2c_chip {
    struct avr_alarm alarm; /* time-outs and steps */
    struct avr_alarm kick;  /* the controller's handler is to run */
};

/* avr_fifo.c */
void i2c_chip_rang(struct avr_alarm *alarm);
void i2c_chip_kicked(struct avr_alarm *alarm);

#define I2C_CHIP_BUS0                                                                              \
    {                                                                                              \
        {i2c_chip_rang, 0, false, NULL}, {i2c_chip_kicked, 0, false, NULL}                         \
    }

#define I2C_CHIP_PROBES true /* an address without data */

#ifdef PINA
#define I2C_CHIP_SDA AVR_PIN(PINC, 1)
#define I2C_CHIP_SCL AVR_PIN(PINC, 0)
#else
#define I2C_CHIP_SDA AVR_PIN(PINC, 4)
#define I2C_CHIP_SCL AVR_PIN(PINC, 5)
#endif

static inline bool i2c_chip_pins_fit(uint8_t n, uint8_t sda, uint8_t scl)
{
    return n == 0 && avr_pin_exists(sda) && avr_pin_exists(scl) && avr_pin(sda) == I2C_CHIP_SDA &&
           avr_pin(scl) == I2C_CHIP_SCL;
}

/* A pin is pulled low or let go, with its pull-up, never driven high. */
static inline void i2c_chip_pull(uint8_t pin)
{
    volatile uint8_t *port = avr_port(avr_pin(pin));
    uint8_t bit = avr_bit(avr_pin(pin));
    port[AVR_OUT] &= (uint8_t)~bit;
    port[AVR_DIR] |= bit;
}

static inline void i2c_chip_let_go(uint8_t pin)
{
    volatile uint8_t *port = avr_port(avr_pin(pin));
    uint8_t bit = avr_bit(avr_pin(pin));
    port[AVR_DIR] &= (uint8_t)~bit;
    port[AVR_OUT] |= bit;
}

/* The pin is the controller's as soon as that is on. */
static inline void i2c_chip_pin_start(uint8_t pin)
{
    i2c_chip_let_go(pin);
}

static inline bool i2c_chip_is_high(uint8_t pin)
{
    return avr_port(avr_pin(pin))[AVR_IN] & avr_bit(avr_pin(pin));
}

/* The controller stops in the middle of whatever it does, and is to be set up anew. */
static inline void i2c_chip_stop(struct i2c_chip *chip)
{
    (void)chip;
    TWCR = 0;
}

/* The pin is no longer the controller's, and let go. */
static inline void i2c_chip_pin_by_hand(uint8_t pin)
{
    TWCR = 0;
    i2c_chip_let_go(pin);
}

static inline void i2c_chip_irqs_start(struct i2c_chip *chip)
{
    (void)chip;
}

static inline void i2c_chip_pend(struct i2c_chip *chip)
{
    avr_alarm_set(&chip->kick, port_now());
}

static inline void i2c_chip_alarm(struct i2c_chip *chip, takt_time_t at)
{
    avr_alarm_set(&chip->alarm, at);
}

static inline void i2c_chip_alarm_seen(struct i2c_chip *chip)
{
    (void)chip;
}

static inline void i2c_chip_alarm_off(struct i2c_chip *chip)
{
    avr_alarm_off(&chip->alarm);
}

#endif
