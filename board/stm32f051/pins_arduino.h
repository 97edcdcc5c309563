/*
 * Pin names of the stm32f051, as on an Arduino Due; pins.c has the pins of the chip.
 */
#ifndef Pins_Arduino_h
#define Pins_Arduino_h

#include <stdint.h>

#define NUM_DIGITAL_PINS  32
#define NUM_ANALOG_INPUTS 6

#define PIN_LED     13
#define LED_BUILTIN 13

#define PIN_A0 14
#define PIN_A1 15
#define PIN_A2 16
#define PIN_A3 17
#define PIN_A4 18
#define PIN_A5 19

#define PIN_SERIAL_RX  0
#define PIN_SERIAL_TX  1
#define PIN_SERIAL1_TX 4
#define PIN_SERIAL1_RX 5

#define PIN_WIRE_SDA  20
#define PIN_WIRE_SCL  21
#define PIN_WIRE1_SDA 22
#define PIN_WIRE1_SCL 23

#define PIN_SPI_SS    10
#define PIN_SPI_MOSI  11
#define PIN_SPI_MISO  12
#define PIN_SPI_SCK   13
#define PIN_SPI1_MISO 24
#define PIN_SPI1_SCK  25
#define PIN_SPI1_MOSI 26
#define PIN_SPI1_SS   27

#include <pins_arduino_constants.h>

/* Modes of pinMode(): all pins are fast. */
#define INPUT_FAST  INPUT
#define OUTPUT_FAST OUTPUT

/* Those with a timer behind them: 2 to 6 and 9 to 12. */
#define digitalPinHasPWM(p)        ((p) < 32 && (0x1E7Cu >> (p) & 1u))
#define digitalPinToInterrupt(p)   ((p) < NUM_DIGITAL_PINS ? (p) : NOT_AN_INTERRUPT)
#define analogInputToDigitalPin(n) ((n) < NUM_ANALOG_INPUTS ? (n) + PIN_A0 : -1)

#endif
