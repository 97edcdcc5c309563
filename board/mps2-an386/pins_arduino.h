/*
 * Pin names of the mps2-an386: LEDs 0 to 9 (0 and 1: user LEDs) and two buttons.
 */
#ifndef Pins_Arduino_h
#define Pins_Arduino_h

#include <stdint.h>

#define NUM_DIGITAL_PINS  12
#define NUM_ANALOG_INPUTS 1 /* none, but sketches may name A0 */

#define PIN_LED     0
#define LED_BUILTIN 0

#define PIN_BUTTON0 10
#define PIN_BUTTON1 11

#define PIN_A0 12
static const uint8_t A0 = PIN_A0;

/* Modes of pinMode(): all pins are fast. */
#define INPUT_FAST  INPUT
#define OUTPUT_FAST OUTPUT

#define digitalPinHasPWM(p)        ((void)(p), 0)
#define digitalPinToInterrupt(p)   ((void)(p), NOT_AN_INTERRUPT)
#define analogInputToDigitalPin(n) ((void)(n), -1)

#endif
