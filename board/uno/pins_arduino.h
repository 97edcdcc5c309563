/*
 * Pin names of the Arduino Uno: 0..13 digital, 14..19 the analog inputs A0..A5.
 */
#ifndef Pins_Arduino_h
#define Pins_Arduino_h

#include <stdint.h>

#include <avr/interrupt.h>
#include <avr/io.h>

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

#define PIN_SERIAL_TX 1
#define PIN_SERIAL_RX 0

#define PIN_WIRE_SDA 18
#define PIN_WIRE_SCL 19

#define PIN_SPI_SS   10
#define PIN_SPI_MOSI 11
#define PIN_SPI_MISO 12
#define PIN_SPI_SCK  13

#include <pins_arduino_constants.h>

/* Where a pin is, as board/uno/pins.c has it: its port's input register, before those of direction
 * and output, and its bit (arduino/known_pins.h). */
#define TAKT_PIN_PORT(p) ((p) < 8 ? &PIND : (p) < 14 ? &PINB : &PINC)
#define TAKT_PIN_BIT(p)  ((p) < 8 ? (p) : (p) < 14 ? (p)-8 : (p)-14)

/* Its port: 1 is A, 2 is B, ... */
#define digitalPinToPort(p) ((p) < 8 ? 4 : (p) < 14 ? 2 : 3)

#define TAKT_PIN_INT0 2

/* Timer0 has 5 and 6, Timer2 3 and 11; Timer1, of 9 and 10, is the clock: these have software. */
#define digitalPinHasPWM(p)                                                                        \
    ((p) == 3 || (p) == 5 || (p) == 6 || (p) == 11 || TAKT_PIN_HAS_SOFT_PWM(p))
#define TAKT_PIN_HAS_SOFT_PWM(p) ((p) == 9 || (p) == 10)

#define INTERNAL 3 /* analogReference(): 1.1 V */

#include <pins_arduino_avr.h>

#endif
