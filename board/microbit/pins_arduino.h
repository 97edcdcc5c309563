/*
 * Pin names of the microbit: Arduino pin n is P0.n of the nRF51822. The display's LEDs lie between
 * rows (13 to 15, high) and columns (4 to 12, low); column 4 is held low from the start, so that
 * the row 13 alone lights the LED in the upper left corner.
 */
#ifndef Pins_Arduino_h
#define Pins_Arduino_h

#include <stdint.h>

#define NUM_DIGITAL_PINS  31
#define NUM_ANALOG_INPUTS 6

#define PIN_LED     13
#define LED_BUILTIN 13

#define PIN_A0 1
#define PIN_A1 2
#define PIN_A2 3
#define PIN_A3 4
#define PIN_A4 5
#define PIN_A5 6

#define PIN_BUTTON_A 17
#define PIN_BUTTON_B 26

#define PIN_SERIAL_TX 24
#define PIN_SERIAL_RX 25

#define PIN_WIRE_SDA 30
#define PIN_WIRE_SCL 0

#define PIN_SPI_SS   19
#define PIN_SPI_MOSI 21
#define PIN_SPI_MISO 22
#define PIN_SPI_SCK  23

#include <pins_arduino_constants.h>

/* Modes of pinMode(): all pins are fast. */
#define INPUT_FAST  INPUT
#define OUTPUT_FAST OUTPUT

#define digitalPinHasPWM(p)        ((void)(p), 0)
#define digitalPinToInterrupt(p)   ((void)(p), NOT_AN_INTERRUPT)
#define analogInputToDigitalPin(n) ((n) < NUM_ANALOG_INPUTS ? (n) + PIN_A0 : -1)

#endif
