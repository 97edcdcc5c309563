/*
 * Pins of an ATmega. The board's pins.c says which port and bit each of its pins is; the registers
 * of a port are neighbours: PIN, DDR, PORT.
 */
#ifndef TAKT_AVR_PINS_H
#define TAKT_AVR_PINS_H

#include <avr/io.h>
#include <avr/pgmspace.h>
#include <stdbool.h>
#include <stdint.h>

#include <takt/set.h>

/* The bit of a port of which `pin` is the input register: AVR_PIN(PINB, 5). */
#define AVR_PIN(pin, bit) ((uint8_t)((_SFR_MEM_ADDR(pin) - 0x20) << 3 | (bit)))

extern const uint8_t avr_pins[] PROGMEM; /* AVR_PIN()s */
extern const uint8_t avr_pin_count PROGMEM;
extern const uint8_t avr_pwm_pins[4] PROGMEM; /* OC0A, OC0B, OC2A, OC2B */

static inline bool avr_pin_exists(uint8_t pin)
{
    return pin < pgm_read_byte(&avr_pin_count);
}

static inline uint8_t avr_pin(uint8_t pin)
{
    return pgm_read_byte(&avr_pins[pin]);
}

/* By instructions of which the compiler would make a loop. */
static inline __attribute__((always_inline)) uint8_t avr_port_of(uint8_t code)
{
    __asm__("lsr %0\n\tlsr %0\n\tlsr %0" : "+r"(code));
    return code;
}

/* For what avr_pin() gave: the port's registers, and the mask of the bit. */
static inline __attribute__((always_inline)) volatile uint8_t *avr_port(uint8_t code)
{
    return (volatile uint8_t *)(uintptr_t)(0x20u + avr_port_of(code));
}

static inline __attribute__((always_inline)) uint8_t avr_bit(uint8_t code)
{
    if (__builtin_constant_p(code))
        return (uint8_t)(1u << (code & 7u));
    return port_set_of(code); /* which looks at three bits */
}

/* 0 for port A, 1 for B, ... */
static inline uint8_t avr_port_number(uint8_t code)
{
    return (uint8_t)((code >> 3) * 11u >> 5); /* a third */
}

enum { AVR_IN, AVR_DIR, AVR_OUT };

static inline __attribute__((always_inline)) void avr_put(volatile uint8_t *reg, uint8_t bit,
                                                          bool on)
{
    *reg = (uint8_t)(on ? *reg | bit : *reg & ~bit);
}

/* Which pins PWM drives: by the first part of an avr_pin(), bits of the port. Written with
 * interrupts off. Known to arduino/known_pins.h, too. */
#define AVR_PIN_PORTS 10u
extern uint8_t takt_pwm_bits[AVR_PIN_PORTS];

/* Interrupts off. */
static inline __attribute__((always_inline)) bool avr_has_pwm(uint8_t code, uint8_t bit)
{
    return takt_pwm_bits[avr_port_of(code)] & bit;
}

#ifdef __cplusplus
extern "C" {
#endif
/* pwm/avr.c, where it is linked: PWM drives the pin no more. Interrupts off. */
void avr_pwm_release(uint8_t pin);

/* The same. Either context. */
void takt_pwm_release(uint8_t pin);
#ifdef __cplusplus
}
#endif

#endif
