/*
 * GPIO of the nRF51 (reference manual 14): set and clear registers make writes of different threads
 * independent.
 */
#include <takt/gpio.h>

#include "../nrf51/nrf51.h"

static const uint8_t config_of[] = {
    [TAKT_GPIO_INPUT] = 0,
    [TAKT_GPIO_OUTPUT] = NRF51_PIN_OUTPUT,
    [TAKT_GPIO_INPUT_PULLUP] = NRF51_PIN_PULL_UP,
    [TAKT_GPIO_INPUT_PULLDOWN] = NRF51_PIN_PULL_DOWN,
};

int takt_gpio_mode(uint8_t pin, enum takt_gpio_mode mode)
{
    if (pin >= NRF51_PINS || (unsigned)mode >= sizeof config_of)
        return TAKT_EINVAL;
    NRF51_GPIO->pin_cnf[pin] = config_of[mode];
    return TAKT_OK;
}

int takt_gpio_write(uint8_t pin, bool high)
{
    if (pin >= NRF51_PINS)
        return TAKT_EINVAL;
    nrf51_reg *set = &NRF51_GPIO->outset; /* and behind it the one that clears: no branch, */
    set[high ? 0 : 1] = 1u << pin;        /* both levels take the same time */
    return TAKT_OK;
}

int takt_gpio_read(uint8_t pin)
{
    if (pin >= NRF51_PINS)
        return TAKT_EINVAL;
    return (int)(NRF51_GPIO->in >> pin & 1u);
}
