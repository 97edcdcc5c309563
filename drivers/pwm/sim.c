/*
 * PWM of the simulated chip: frequency and duty are noted, edges are not made.
 */
#include <takt/gpio.h>
#include <takt/pwm.h>

#include "../sim/chip.h"

int takt_pwm_write(uint8_t pin, uint32_t frequency_hz, uint16_t duty)
{
    if (pin >= SIM_PINS || frequency_hz < 8u || frequency_hz > 62500000u)
        return TAKT_EINVAL;
    sim_cost(SIM_COST_PWM);
    sim_pins[pin].mode = TAKT_GPIO_OUTPUT;
    sim_pins[pin].pwm = true;
    sim_pins[pin].hz = frequency_hz;
    sim_pins[pin].duty = duty;
    sim_pin_changed(pin);
    return TAKT_OK;
}

int takt_pwm_stop(uint8_t pin)
{
    return takt_gpio_mode(pin, TAKT_GPIO_OUTPUT);
}
