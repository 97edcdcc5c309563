/*
 * Pin names of the ATmega324P: 0..7 port B, 8..15 port D, 16..23 port C, 24..31 port A, the analog
 * inputs.
 */
#ifndef Pins_Arduino_h
#define Pins_Arduino_h

#include <stdint.h>

#include <avr/interrupt.h>
#include <avr/io.h>

#define NUM_DIGITAL_PINS  32
#define NUM_ANALOG_INPUTS 8

#define PIN_LED     0
#define LED_BUILTIN 0

#define PIN_A0 24
#define PIN_A1 25
#define PIN_A2 26
#define PIN_A3 27
#define PIN_A4 28
#define PIN_A5 29
#define PIN_A6 30
#define PIN_A7 31

#define PIN_SERIAL_TX  9
#define PIN_SERIAL_RX  8
#define PIN_SERIAL1_TX 11
#define PIN_SERIAL1_RX 10

#define PIN_WIRE_SDA 17
#define PIN_WIRE_SCL 16

#define PIN_SPI_SS   4
#define PIN_SPI_MOSI 5
#define PIN_SPI_MISO 6
#define PIN_SPI_SCK  7

#include <pins_arduino_constants.h>

/* Where a pin is, as board/atmega324p/pins.c has it: its port's input register, before those of
 * direction and output, and its bit (arduino/known_pins.h). */
#define TAKT_PIN_PORT(p) ((p) < 8 ? &PINB : (p) < 16 ? &PIND : (p) < 24 ? &PINC : &PINA)
#define TAKT_PIN_BIT(p)  ((p)&7)

/* Its port: 1 is A, 2 is B, ... */
#define digitalPinToPort(p) ((p) < 8 ? 2 : (p) < 16 ? 4 : (p) < 24 ? 3 : 1)

#define TAKT_PIN_INT0 10

/* Timer0 has 3 and 4, Timer2 14 and 15; Timer1, of 12 and 13, is the clock: these have software. */
#define digitalPinHasPWM(p)                                                                        \
    ((p) == 3 || (p) == 4 || (p) == 14 || (p) == 15 || TAKT_PIN_HAS_SOFT_PWM(p))
#define TAKT_PIN_HAS_SOFT_PWM(p) ((p) == 12 || (p) == 13)

#define INTERNAL1V1  2 /* analogReference() */
#define INTERNAL2V56 3
#define INTERNAL     INTERNAL1V1

#include <pins_arduino_avr.h>

#endif
