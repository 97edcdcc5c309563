/*
 * The pins of the atmega324p: 0..7 are port B, 8..15 port D, 16..23 port C, 24..31 port A (A0..A7).
 */
#include <avr/avr_pins.h>

const uint8_t avr_pins[] PROGMEM = {
    AVR_PIN(PINB, 0), AVR_PIN(PINB, 1), AVR_PIN(PINB, 2), AVR_PIN(PINB, 3),
    AVR_PIN(PINB, 4), AVR_PIN(PINB, 5), AVR_PIN(PINB, 6), AVR_PIN(PINB, 7),
    AVR_PIN(PIND, 0), AVR_PIN(PIND, 1), AVR_PIN(PIND, 2), AVR_PIN(PIND, 3),
    AVR_PIN(PIND, 4), AVR_PIN(PIND, 5), AVR_PIN(PIND, 6), AVR_PIN(PIND, 7),
    AVR_PIN(PINC, 0), AVR_PIN(PINC, 1), AVR_PIN(PINC, 2), AVR_PIN(PINC, 3),
    AVR_PIN(PINC, 4), AVR_PIN(PINC, 5), AVR_PIN(PINC, 6), AVR_PIN(PINC, 7),
    AVR_PIN(PINA, 0), AVR_PIN(PINA, 1), AVR_PIN(PINA, 2), AVR_PIN(PINA, 3),
    AVR_PIN(PINA, 4), AVR_PIN(PINA, 5), AVR_PIN(PINA, 6), AVR_PIN(PINA, 7),
};
const uint8_t avr_pin_count PROGMEM = sizeof avr_pins;
const uint8_t avr_pwm_pins[4] PROGMEM = {AVR_PIN(PINB, 3), AVR_PIN(PINB, 4), AVR_PIN(PIND, 7),
                                         AVR_PIN(PIND, 6)};
