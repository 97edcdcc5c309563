/*
 * Digital pins; pins_avr.cpp has AVR's.
 *
 * A pin that analogWrite() has given to PWM becomes an ordinary output again with the next
 * digitalWrite(), as on AVR; `pins_with_pwm` remembers which.
 */
#ifndef __AVR__

#include "pins.h"

#include <takt/gpio.h>
#include <takt/port.h>

#define TAKT_DEFINES_PINS
#include "Arduino.h"

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

int digitalRead(uint8_t pin)
{
    int level = takt_gpio_read(pin);
    return level > 0;
}

#endif
