/*
 * GPIO of the RP2040: levels through the single-cycle I/O block, whose set and clear registers
 * make writes of different threads independent (data sheet 2.3.1.2, 2.19).
 */
#include <gpio/chip_gpio.h>

#include "../rp2040/rp2040.h"

#define PAD_BASE (RP2040_PAD_INPUT | RP2040_PAD_DRIVE_4MA | RP2040_PAD_SCHMITT)

static const uint8_t pad_of[] = {
    [TAKT_GPIO_INPUT] = PAD_BASE,
    [TAKT_GPIO_OUTPUT] = PAD_BASE,
    [TAKT_GPIO_INPUT_PULLUP] = PAD_BASE | RP2040_PAD_PULL_UP,
    [TAKT_GPIO_INPUT_PULLDOWN] = PAD_BASE | RP2040_PAD_PULL_DOWN,
};

int chip_gpio_mode(uint8_t pin, enum takt_gpio_mode mode)
{
    if (pin >= RP2040_PINS || (unsigned)mode >= sizeof pad_of)
        return TAKT_EINVAL;
    if (mode == TAKT_GPIO_OUTPUT)
        RP2040_SIO->gpio_oe_set = 1u << pin;
    else
        RP2040_SIO->gpio_oe_clr = 1u << pin;
    RP2040_PADS_BANK0->pad[pin] = pad_of[mode];
    rp2040_pin_function(pin, RP2040_FUNCTION_SIO);
    return TAKT_OK;
}

int chip_gpio_write(uint8_t pin, bool high)
{
    if (pin >= RP2040_PINS)
        return TAKT_EINVAL;
    rp2040_reg *set = &RP2040_SIO->gpio_out_set; /* and behind it the one that clears: no branch, */
    set[high ? 0 : 1] = 1u << pin;               /* both levels take the same time */
    return TAKT_OK;
}

int chip_gpio_read(uint8_t pin)
{
    if (pin >= RP2040_PINS)
        return TAKT_EINVAL;
    return (int)(RP2040_SIO->gpio_in >> pin & 1u);
}
