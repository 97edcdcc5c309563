/*
 * Pin names of the lm3s6965evb: those of ports A to G without JTAG's, in order; see board.toml.
 */
#ifndef Pins_Arduino_h
#define Pins_Arduino_h

#include <stdint.h>

#define NUM_DIGITAL_PINS  37
#define NUM_ANALOG_INPUTS 4

#define PIN_LED     31
#define LED_BUILTIN 31

/* The ADC has pins of its own; these are port E, whose pins have buttons. */
#define PIN_A0 27
#define PIN_A1 28
#define PIN_A2 29
#define PIN_A3 30

#define PIN_SERIAL_TX  1
#define PIN_SERIAL_RX  0
#define PIN_SERIAL1_TX 22
#define PIN_SERIAL1_RX 21

#define PIN_WIRE_SDA 11
#define PIN_WIRE_SCL 10

#define PIN_SPI_SCK  2
#define PIN_SPI_SS   3
#define PIN_SPI_MISO 4
#define PIN_SPI_MOSI 5

#include <pins_arduino_constants.h>

/* Modes of pinMode(): all pins are fast. */
#define INPUT_FAST  INPUT
#define OUTPUT_FAST OUTPUT

#define digitalPinHasPWM(p)        ((void)(p), 0)
#define digitalPinToInterrupt(p)   ((void)(p), NOT_AN_INTERRUPT)
#define analogInputToDigitalPin(n) ((n) < NUM_ANALOG_INPUTS ? (n) + PIN_A0 : -1)

#endif
