/*
 * PWM of the galileo: pins 3, 5, 6, 9, 10 and 11 have one of the expander's each, 126 Hz and up.
 */
#include <takt/pwm.h>

#include "../gpio/galileo_expander.h"

#define PWM_PINS (1u << 3 | 1u << 5 | 1u << 6 | 1u << 9 | 1u << 10 | 1u << 11)

int takt_pwm_write(uint8_t pin, uint32_t frequency_hz, uint16_t duty)
{
    if (pin >= GALILEO_DIGITAL_PINS || !(PWM_PINS >> pin & 1u) || galileo_is_fast(pin))
        return TAKT_EINVAL;
    if (!galileo_may_wait())
        return TAKT_ECONTEXT;
    return cy8c9540a_pwm(&galileo_expander, galileo_pins[pin].port, galileo_pins[pin].bit,
                         frequency_hz, duty);
}

int takt_pwm_stop(uint8_t pin)
{
    return takt_gpio_mode(pin, TAKT_GPIO_OUTPUT);
}
