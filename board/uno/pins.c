/*
 * The pins of the uno: 0..7 are port D, 8..13 port B, A0..A5 port C.
 */
#include <avr/avr_pins.h>

const uint8_t avr_pins[] PROGMEM = {
    AVR_PIN(PIND, 0), AVR_PIN(PIND, 1), AVR_PIN(PIND, 2), AVR_PIN(PIND, 3), AVR_PIN(PIND, 4),
    AVR_PIN(PIND, 5), AVR_PIN(PIND, 6), AVR_PIN(PIND, 7), AVR_PIN(PINB, 0), AVR_PIN(PINB, 1),
    AVR_PIN(PINB, 2), AVR_PIN(PINB, 3), AVR_PIN(PINB, 4), AVR_PIN(PINB, 5), AVR_PIN(PINC, 0),
    AVR_PIN(PINC, 1), AVR_PIN(PINC, 2), AVR_PIN(PINC, 3), AVR_PIN(PINC, 4), AVR_PIN(PINC, 5),
};
const uint8_t avr_pin_count PROGMEM = sizeof avr_pins;
const uint8_t avr_pwm_pins[4] PROGMEM = {AVR_PIN(PIND, 6), AVR_PIN(PIND, 5), AVR_PIN(PINB, 3),
                                         AVR_PIN(PIND, 3)};
