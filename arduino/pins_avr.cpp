/*
 * Digital pins of an ATmega, with no step between the sketch and the registers. What PWM drives is seen
 * by a bit of the port (drivers/avr/avr_pins.h); such a pin becomes an ordinary output with the next
 * digitalWrite().
 */
#ifdef __AVR__

#include <avr/avr_pins.h>
#include <takt/fact.h>

#define TAKT_DEFINES_PINS
#include "Arduino.h"
#include "pins.h"

namespace
{

__attribute__((noinline)) void end_pwm_in(uint8_t pin, uint8_t mode)
{
    TAKT_FACT("takes 20");
    takt_pwm_release(pin);
    pinMode(pin, mode);
}

__attribute__((noinline)) void end_pwm(uint8_t pin, uint8_t level)
{
    TAKT_FACT("takes 20");
    takt_pwm_release(pin);
    digitalWrite(pin, level);
}

} // namespace

bool takt::has_pwm(uint8_t pin)
{
    return pin < NUM_DIGITAL_PINS && avr_has_pwm(avr_pin(pin), avr_bit(avr_pin(pin)));
}

void pinMode(uint8_t pin, uint8_t mode)
{
    TAKT_FACT("takes 25");
    if (pin >= NUM_DIGITAL_PINS || mode > INPUT_PULLUP)
        return;
    uint8_t code = avr_pin(pin), bit = avr_bit(code);
    volatile uint8_t *port = avr_port(code);
    uint8_t flags = SREG;
    __asm__ volatile("cli" ::: "memory");
    if (avr_has_pwm(code, bit)) {
        SREG = flags;
        return end_pwm_in(pin, mode);
    }
    avr_put(&port[AVR_DIR], bit, mode == OUTPUT);
    if (mode != OUTPUT)
        avr_put(&port[AVR_OUT], bit, mode == INPUT_PULLUP);
    SREG = flags;
}

void digitalWrite(uint8_t pin, uint8_t level)
{
    TAKT_FACT("takes 25");
    if (pin >= NUM_DIGITAL_PINS)
        return;
    uint8_t code = avr_pin(pin), bit = avr_bit(code);
    volatile uint8_t *port = avr_port(code);
    uint8_t flags = SREG;
    __asm__ volatile("cli" ::: "memory");
    if (avr_has_pwm(code, bit)) {
        SREG = flags;
        return end_pwm(pin, level);
    }
    avr_put(&port[AVR_OUT], bit, level != LOW);
    SREG = flags;
}

int digitalRead(uint8_t pin)
{
    if (pin >= NUM_DIGITAL_PINS)
        return LOW;
    uint8_t code = avr_pin(pin), bit = avr_bit(code);
    return avr_port(code)[AVR_IN] & bit ? HIGH : LOW;
}

#endif
