/*
 * Digital pins.
 *
 * A pin that analogWrite() has given to PWM becomes an ordinary output again with the next
 * digitalWrite(), as on AVR; `pins_with_pwm` remembers which.
 */
#include "pins.h"

#include <takt/gpio.h>
#include <takt/port.h>
#include <takt/fact.h>

#define TAKT_DEFINES_PINS
#include "Arduino.h"

#ifdef __AVR__ /* the drivers know which */

void pinMode(uint8_t pin, uint8_t mode)
{
    takt_gpio_mode(pin, static_cast<enum takt_gpio_mode>(mode));
}

void digitalWrite(uint8_t pin, uint8_t level)
{
    takt_gpio_drive(pin, level != LOW);
}

#else

uint32_t takt::pins_with_pwm;

void takt::mark_pwm(uint8_t pin, bool on)
{
    uint32_t bit = pin_bit(pin);
    port_irq_t irq = port_irq_save();
    pins_with_pwm = on ? pins_with_pwm | bit : pins_with_pwm & ~bit;
    port_irq_restore(irq);
}

void pinMode(uint8_t pin, uint8_t mode)
{
    if (pin >= NUM_DIGITAL_PINS)
        return;
    takt::mark_pwm(pin, false);
    takt_gpio_mode(pin, static_cast<enum takt_gpio_mode>(mode));
}

void digitalWrite(uint8_t pin, uint8_t level)
{
    takt_gpio_write(pin, level != LOW);
    if (takt::has_pwm(pin))
        pinMode(pin, OUTPUT);
}

#endif

int digitalRead(uint8_t pin)
{
    int level = takt_gpio_read(pin);
    return level > 0;
}
