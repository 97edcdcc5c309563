/*
 * GPIO of the STM32F0 (RM0091 chapter 8): a register that sets and clears bits makes writes of
 * different threads independent.
 */
#include <takt/gpio.h>

#include "stm32f0_pins.h"

static const struct {
    uint8_t mode, pull;
} modes[] = {
    [TAKT_GPIO_INPUT] = {STM32F0_INPUT, STM32F0_NO_PULL},
    [TAKT_GPIO_OUTPUT] = {STM32F0_OUTPUT, STM32F0_NO_PULL},
    [TAKT_GPIO_INPUT_PULLUP] = {STM32F0_INPUT, STM32F0_PULL_UP},
    [TAKT_GPIO_INPUT_PULLDOWN] = {STM32F0_INPUT, STM32F0_PULL_DOWN},
};

int takt_gpio_mode(uint8_t pin, enum takt_gpio_mode mode)
{
    if (pin >= stm32f0_pin_count || (unsigned)mode >= sizeof modes / sizeof modes[0])
        return TAKT_EINVAL;
    stm32f0_pin_set(stm32f0_pins[pin], modes[mode].mode, (enum stm32f0_pull)modes[mode].pull, 0);
    return TAKT_OK;
}

int takt_gpio_write(uint8_t pin, bool high)
{
    if (pin >= stm32f0_pin_count)
        return TAKT_EINVAL;
    uint8_t chip_pin = stm32f0_pins[pin];
    uint32_t set = 1u << (chip_pin & 15u); /* or clear, 16 bits above: both take the same time */
    stm32f0_port(chip_pin)->bsrr = set << (high ? 0 : 16);
    return TAKT_OK;
}

int takt_gpio_read(uint8_t pin)
{
    if (pin >= stm32f0_pin_count)
        return TAKT_EINVAL;
    uint8_t chip_pin = stm32f0_pins[pin];
    return (int)(stm32f0_port(chip_pin)->idr >> (chip_pin & 15u) & 1u);
}
