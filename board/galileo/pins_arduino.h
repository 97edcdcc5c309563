/*
 * Pin names of the galileo: 0..13 are pins of the expander, A0..A5 (14..19) channels of the
 * converter and nothing else. galileo.h of this folder has the wiring.
 */
#ifndef Pins_Arduino_h
#define Pins_Arduino_h

#include <stdint.h>

#define NUM_DIGITAL_PINS  20
#define NUM_ANALOG_INPUTS 6

#define PIN_LED     13
#define LED_BUILTIN 13

#define PIN_A0 14
#define PIN_A1 15
#define PIN_A2 16
#define PIN_A3 17
#define PIN_A4 18
#define PIN_A5 19

static const uint8_t A0 = PIN_A0;
static const uint8_t A1 = PIN_A1;
static const uint8_t A2 = PIN_A2;
static const uint8_t A3 = PIN_A3;
static const uint8_t A4 = PIN_A4;
static const uint8_t A5 = PIN_A5;

/* I2C and SPI, by the chip's numbers. The expander is on the bus of Wire. */
#define PIN_WIRE_SDA  20
#define PIN_WIRE_SCL  21
#define PIN_WIRE1_SDA 14
#define PIN_WIRE1_SCL 15

#define PIN_SPI_MISO 16
#define PIN_SPI_SCK  18
#define PIN_SPI_MOSI 19
#define PIN_SPI_SS   10 /* a pin of the board */

static const uint8_t SS = PIN_SPI_SS;

/* Modes of pinMode() that connect pins 2 and 3 to the chip, past the expander; other pins take them
 * as INPUT and OUTPUT. */
#define INPUT_FAST  4
#define OUTPUT_FAST 5

#define digitalPinHasPWM(p)                                                                        \
    ((p) == 3 || (p) == 5 || (p) == 6 || (p) == 9 || (p) == 10 || (p) == 11)
#define digitalPinToInterrupt(p)   ((p) < 14 ? (p) : NOT_AN_INTERRUPT)
#define analogInputToDigitalPin(n) ((n) < NUM_ANALOG_INPUTS ? (n) + PIN_A0 : -1)

#endif
