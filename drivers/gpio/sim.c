/*
 * GPIO of the simulated chip.
 */
#include <takt/gpio.h>

#include "../sim/chip.h"

int takt_gpio_mode(uint8_t pin, enum takt_gpio_mode mode)
{
    if (pin >= SIM_PINS || (unsigned)mode > TAKT_GPIO_INPUT_PULLDOWN)
        return TAKT_EINVAL;
    sim_cost(SIM_COST_GPIO_MODE);
    sim_pins[pin].mode = (uint8_t)mode;
    sim_pins[pin].pwm = false;
    sim_pin_changed(pin);
    return TAKT_OK;
}

int takt_gpio_write(uint8_t pin, bool high)
{
    if (pin >= SIM_PINS)
        return TAKT_EINVAL;
    sim_cost(SIM_COST_GPIO);
    sim_pins[pin].out = high;
    sim_pin_written(pin);
    sim_pin_changed(pin);
    return TAKT_OK;
}

int takt_gpio_read(uint8_t pin)
{
    if (pin >= SIM_PINS)
        return TAKT_EINVAL;
    sim_cost(SIM_COST_GPIO);
    return sim_pin_now(&sim_pins[pin]);
}
