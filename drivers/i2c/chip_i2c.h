/*
 * What the I2C driver needs of a chip beside <chip>_fifo.c: pins, an alarm, interrupts. Here of the
 * RP2040; a board with another chip has an i2c/chip_i2c.h of its own, earlier in the include path.
 */
#ifndef TAKT_I2C_CHIP_H
#define TAKT_I2C_CHIP_H

#include <gpio/chip_gpio.h>
#include <takt/port.h>

#include "../rp2040/rp2040.h"

struct i2c_chip {
    struct rp2040_i2c *hw;
    uint32_t reset;
    enum rp2040_irq irq, alarm_irq;
    uint8_t alarm; /* of the timer */
};

#define I2C_CHIP_BUS0                                                                              \
    {RP2040_I2C0, RP2040_RESET_I2C0, RP2040_IRQ_I2C0, RP2040_IRQ_TIMER1, 1}
#define I2C_CHIP_BUS1                                                                              \
    {RP2040_I2C1, RP2040_RESET_I2C1, RP2040_IRQ_I2C1, RP2040_IRQ_TIMER2, 2}

#define I2C_CHIP_PROBES false /* it knows no transaction without data */

/* A pin's place among the four whose functions repeat says what it can be. */
static inline bool i2c_chip_pins_fit(uint8_t n, uint8_t sda, uint8_t scl)
{
    return sda < RP2040_PINS && scl < RP2040_PINS && (sda & 3u) == n * 2u &&
           (scl & 3u) == n * 2u + 1u;
}

/* The pin is the controller's. */
static inline void i2c_chip_pin_start(uint8_t pin)
{
    rp2040_pin_function(pin, RP2040_FUNCTION_I2C);
}

/* A pin is pulled low or let go, never driven high. */
static inline void i2c_chip_pull(uint8_t pin)
{
    RP2040_SIO->gpio_oe_set = 1u << pin;
}

static inline void i2c_chip_let_go(uint8_t pin)
{
    RP2040_SIO->gpio_oe_clr = 1u << pin;
}

static inline bool i2c_chip_is_high(uint8_t pin)
{
    return RP2040_SIO->gpio_in >> pin & 1u;
}

/* The pin is no longer the controller's, and let go. */
static inline void i2c_chip_pin_by_hand(uint8_t pin)
{
    i2c_chip_let_go(pin);
    RP2040_SIO->gpio_out_clr = 1u << pin;
    rp2040_pin_function(pin, RP2040_FUNCTION_SIO);
}

static inline void i2c_chip_irqs_start(const struct i2c_chip *chip)
{
    RP2040_SET(RP2040_TIMER->inte) = 1u << chip->alarm;
    rp2040_irq_enable(chip->irq, 2);
    rp2040_irq_enable(chip->alarm_irq, 2);
}

/* The controller's handler is to run. */
static inline void i2c_chip_pend(const struct i2c_chip *chip)
{
    rp2040_irq_pend(chip->irq);
}

/* The controller stops in the middle of whatever it does, and is to be set up anew. */
static inline void i2c_chip_stop(const struct i2c_chip *chip)
{
    RP2040_SET(RP2040_RESETS->reset) = chip->reset;
}

/* One that is already due is made pending, since the timer compares for equality. */
static inline void i2c_chip_alarm(const struct i2c_chip *chip, takt_time_t at)
{
    RP2040_TIMER->alarm[chip->alarm] = at;
    if (!takt_before(port_now(), at))
        rp2040_irq_pend(chip->alarm_irq);
}

static inline void i2c_chip_alarm_seen(const struct i2c_chip *chip)
{
    RP2040_TIMER->intr = 1u << chip->alarm;
}

static inline void i2c_chip_alarm_off(const struct i2c_chip *chip)
{
    RP2040_TIMER->armed = 1u << chip->alarm;
    i2c_chip_alarm_seen(chip);
}

#endif
