/*
 * PWM as analog output.
 */
#include <takt/pwm.h>

#define TAKT_DEFINES_PINS
#include "Arduino.h"
#include "bits.h"
#include "pins.h"

#ifndef TAKT_PIN_HAS_SOFT_PWM
#define TAKT_PIN_HAS_SOFT_PWM(pin) false
#endif

namespace
{

constexpr uint32_t PWM_HZ = TAKT_PWM_LEVEL_HZ; /* 490, as on AVR */

uint8_t write_bits = 8;

uint16_t duty_of(int value)
{
    uint32_t most = (uint32_t{1} << write_bits) - 1;
    uint32_t level = value < 0 ? 0 : static_cast<uint32_t>(value);
    return static_cast<uint16_t>(level >= most ? 65535u : level * 65535u / most);
}

__attribute__((noinline)) void write_duty(uint8_t pin, int value)
{
    uint16_t duty = duty_of(value);
    if (takt_pwm_write(pin, PWM_HZ, duty) == TAKT_OK) {
        takt::mark_pwm(pin, true);
    } else if (!digitalPinHasPWM(pin) || TAKT_PIN_HAS_SOFT_PWM(pin)) { /* as on AVR */
        pinMode(pin, OUTPUT);
        digitalWrite(pin, duty >= 32768u);
    }
}

} // namespace

#ifdef __AVR__ /* without a division, where it can be */
void analogWrite(uint8_t pin, int value)
{
    uint8_t level = static_cast<uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
    if (write_bits != 8 || takt_pwm_level(pin, level) != TAKT_OK)
        write_duty(pin, value);
}
#else
void analogWrite(uint8_t pin, int value)
{
    write_duty(pin, value);
}
#endif

void analogWriteResolution(int bits)
{
    write_bits = takt::sane_bits(bits);
}
