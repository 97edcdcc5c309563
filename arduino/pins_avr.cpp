/*
 * Digital pins of an ATmega, with no step between the sketch and the registers. What PWM drives is
 * seen by a bit of the port (drivers/avr/avr_pins.h); such a pin becomes an ordinary output with
 * the next digitalWrite().
 */
#ifdef __AVR__

#include <avr/avr_pins.h>
#include <takt/fact.h>
#include <takt/port.h>

#define TAKT_DEFINES_PINS
#include "Arduino.h"
#include "pins.h"

namespace
{

/* Interrupts off. */
inline __attribute__((always_inline)) void set_level(uint8_t code, uint8_t bit, uint8_t level)
{
    avr_put(&avr_port(code)[AVR_OUT], bit, level != LOW);
}

inline __attribute__((always_inline)) void set_mode(uint8_t code, uint8_t bit, uint8_t mode)
{
    volatile uint8_t *port = avr_port(code);
    avr_put(&port[AVR_DIR], bit, mode == OUTPUT);
    if (mode != OUTPUT)
        avr_put(&port[AVR_OUT], bit, mode == INPUT_PULLUP);
}

/* Apart, so that other pins need not save what these do. */
__attribute__((noinline)) void mode_after_pwm(uint8_t pin, uint8_t mode)
{
    TAKT_FACT("takes 20");
    port_irq_t irq = port_irq_save();
    avr_pwm_release(pin);
    set_mode(avr_pin(pin), avr_bit(avr_pin(pin)), mode);
    port_irq_restore(irq);
}

__attribute__((noinline)) void write_after_pwm(uint8_t pin, uint8_t level)
{
    TAKT_FACT("takes 20");
    port_irq_t irq = port_irq_save();
    set_level(avr_pin(pin), avr_bit(avr_pin(pin)), level);
    avr_pwm_release(pin);
    port_irq_restore(irq);
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
    uint8_t code = avr_pin(pin), bit = avr_bit(code), flags = SREG;
    __asm__ volatile("cli" ::: "memory");
    if (avr_has_pwm(code, bit)) {
        SREG = flags;
        return mode_after_pwm(pin, mode);
    }
    set_mode(code, bit, mode);
    SREG = flags;
}

void digitalWrite(uint8_t pin, uint8_t level)
{
    TAKT_FACT("takes 25");
    if (pin >= NUM_DIGITAL_PINS)
        return;
    uint8_t code = avr_pin(pin), bit = avr_bit(code), flags = SREG;
    __asm__ volatile("cli" ::: "memory");
    if (avr_has_pwm(code, bit)) {
        SREG = flags;
        return write_after_pwm(pin, level);
    }
    set_level(code, bit, level);
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
