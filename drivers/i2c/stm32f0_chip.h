/*
 * What the I2C driver needs of the STM32F0 beside stm32f0_fifo.c, see chip_i2c.h. The alarms are
 * compare channels 2 and 3 of TIM2, whose interrupt has priority 1 and is the kernel's: they only
 * make the controller's handler pending, so that the parts of a bus do not interrupt one another.
 */
#ifndef TAKT_I2C_STM32F0_CHIP_H
#define TAKT_I2C_STM32F0_CHIP_H

#include <gpio/chip_gpio.h>
#include <takt/port.h>

#include "../gpio/stm32f0_pins.h"

struct i2c_chip {
    uint8_t number;
};

#define I2C_CHIP_BUS0                                                                              \
    {                                                                                              \
        0                                                                                          \
    }
#define I2C_CHIP_BUS1                                                                              \
    {                                                                                              \
        1                                                                                          \
    }

#define I2C_CHIP_PROBES true

/* SDA and SCL of I2C1 are PB7 and PB6 or PB9 and PB8, of I2C2 PB11 and PB10. */
bool i2c_chip_pins_fit(uint8_t n, uint8_t sda, uint8_t scl);

void i2c_chip_pin_start(uint8_t pin);
void i2c_chip_pin_by_hand(uint8_t pin);

/* As an output a pin of a bus only pulls. */
static inline void i2c_chip_pull(uint8_t pin)
{
    (void)takt_gpio_write(pin, false);
}

static inline void i2c_chip_let_go(uint8_t pin)
{
    (void)takt_gpio_write(pin, true);
}

static inline bool i2c_chip_is_high(uint8_t pin)
{
    return takt_gpio_read(pin) > 0;
}

static inline struct stm32f0_i2c *i2c_chip_hw(const struct i2c_chip *chip)
{
    return chip->number == 0 ? STM32F0_I2C1 : STM32F0_I2C2;
}

static inline enum stm32f0_irq i2c_chip_irq(const struct i2c_chip *chip)
{
    return chip->number == 0 ? STM32F0_IRQ_I2C1 : STM32F0_IRQ_I2C2;
}

static inline uint32_t i2c_chip_alarm_bit(const struct i2c_chip *chip)
{
    return (uint32_t)STM32F0_TIMER_COMPARE1 << (chip->number + 1u);
}

static inline void i2c_chip_irqs_start(const struct i2c_chip *chip)
{
    STM32F0_TIM2->dier |= i2c_chip_alarm_bit(chip);
    stm32f0_irq_enable(i2c_chip_irq(chip), 2);
}

static inline void i2c_chip_pend(const struct i2c_chip *chip)
{
    stm32f0_irq_pend(i2c_chip_irq(chip));
}

static inline void i2c_chip_stop(const struct i2c_chip *chip)
{
    i2c_chip_hw(chip)->cr1 = 0;
}

/* One that is already due comes now. */
static inline void i2c_chip_alarm(const struct i2c_chip *chip, takt_time_t at)
{
    STM32F0_TIM2->ccr[chip->number + 1u] = at;
    if (!takt_before(port_now(), at))
        STM32F0_TIM2->egr = i2c_chip_alarm_bit(chip);
}

static inline void i2c_chip_alarm_seen(const struct i2c_chip *chip)
{
    stm32f0_timer_clear(STM32F0_TIM2, i2c_chip_alarm_bit(chip));
}

static inline void i2c_chip_alarm_off(const struct i2c_chip *chip)
{
    i2c_chip_alarm_seen(chip);
}

#endif
