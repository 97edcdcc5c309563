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

uint32_t takt::pins_with_pwm;

bool takt::mark_pwm(uint8_t pin, bool on)
{
    uint32_t bit = pin_bit(pin);
    port_irq_t irq = port_irq_save();
    bool was = pins_with_pwm & bit;
    pins_with_pwm = on ? pins_with_pwm | bit : pins_with_pwm & ~bit;
    port_irq_restore(irq);
    return was;
}

#ifdef __AVR__ /* pin_bit() is a loop there */
#define TAKES(us) TAKT_FACT("takes " us)
#else
#define TAKES(us) (void)0
#endif

void pinMode(uint8_t pin, uint8_t mode)
{
    TAKES("60");
    if (pin >= NUM_DIGITAL_PINS)
        return;
    takt::mark_pwm(pin, false);
    takt_gpio_mode(pin, static_cast<enum takt_gpio_mode>(mode));
}

void digitalWrite(uint8_t pin, uint8_t level)
{
    TAKES("120");
    takt_gpio_write(pin, level != LOW);
    if (takt::has_pwm(pin))
        pinMode(pin, OUTPUT);
}

int digitalRead(uint8_t pin)
{
    int level = takt_gpio_read(pin);
    return level > 0;
}
