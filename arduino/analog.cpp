/*
 * Analog inputs, and PWM as analog output.
 */
#include <takt/adc.h>
#include <takt/pwm.h>
#include <takt/fact.h>

#define TAKT_DEFINES_PINS
#include "Arduino.h"
#include "pins.h"

namespace
{

constexpr uint32_t PWM_HZ = TAKT_PWM_LEVEL_HZ; /* 490, as on AVR */
constexpr int ADC_BITS = 12;     /* of takt_adc_read() */

uint8_t read_bits = 10, write_bits = 8;

uint8_t sane(int bits)
{
    return static_cast<uint8_t>(bits < 1 ? 1 : bits > 16 ? 16 : bits);
}

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
    } else if (!digitalPinHasPWM(pin)) { /* as on AVR */
        pinMode(pin, OUTPUT);
        digitalWrite(pin, duty >= 32768u);
    }
}

} // namespace

#ifdef __AVR__ /* shifts are loops there */
#define TAKES(us) TAKT_FACT("takes " us)
#else
#define TAKES(us) (void)0
#endif

int analogRead(uint8_t pin)
{
    TAKES("350");
    int value = takt_adc_read(pin < NUM_ANALOG_INPUTS ? static_cast<uint8_t>(pin + PIN_A0) : pin);
    if (value < 0)
        return 0;
    if (read_bits == 10)
        return value >> (ADC_BITS - 10);
    return read_bits < ADC_BITS ? value >> (ADC_BITS - read_bits) : value << (read_bits - ADC_BITS);
}

void analogReadResolution(int bits)
{
    read_bits = sane(bits);
}

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
    write_bits = sane(bits);
}

void analogReference(uint8_t) {}
