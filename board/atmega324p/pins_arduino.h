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

static const uint8_t A0 = PIN_A0;
static const uint8_t A1 = PIN_A1;
static const uint8_t A2 = PIN_A2;
static const uint8_t A3 = PIN_A3;
static const uint8_t A4 = PIN_A4;
static const uint8_t A5 = PIN_A5;
static const uint8_t A6 = PIN_A6;
static const uint8_t A7 = PIN_A7;

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

static const uint8_t SDA = PIN_WIRE_SDA;
static const uint8_t SCL = PIN_WIRE_SCL;
static const uint8_t SS = PIN_SPI_SS;
static const uint8_t MOSI = PIN_SPI_MOSI;
static const uint8_t MISO = PIN_SPI_MISO;
static const uint8_t SCK = PIN_SPI_SCK;

/* Where a pin is, as board/atmega324p/pins.c has it: its port's input register, before those of
 * direction and output, and its bit (arduino/known_pins.h). */
#define TAKT_PIN_PORT(p) ((p) < 8 ? &PINB : (p) < 16 ? &PIND : (p) < 24 ? &PINC : &PINA)
#define TAKT_PIN_BIT(p)  ((p)&7)

/* The registers themselves, for libraries that write to them: what is no single instruction may
 * disturb another loop whose pins are on the same port. Ports are 1 for A, 2 for B, ... */
#define digitalPinToPort(p)    ((p) < 8 ? 2 : (p) < 16 ? 4 : (p) < 24 ? 3 : 1)
#define digitalPinToBitMask(p) ((uint8_t)(1u << TAKT_PIN_BIT(p)))
#define portInputRegister(n)   ((volatile uint8_t *)(uintptr_t)(0x1Du + 3u * (n)))
#define portModeRegister(n)    (portInputRegister(n) + 1)
#define portOutputRegister(n)  (portInputRegister(n) + 2)

/* Modes of pinMode(): all pins are fast. */
#define INPUT_FAST  INPUT
#define OUTPUT_FAST OUTPUT

/* Timer0 has 3 and 4, Timer2 14 and 15; Timer1, of 12 and 13, is the clock. */
#define digitalPinHasPWM(p)        ((p) == 3 || (p) == 4 || (p) == 14 || (p) == 15)
#define digitalPinToInterrupt(p)   ((p) < NUM_DIGITAL_PINS ? (p) : NOT_AN_INTERRUPT)
#define analogInputToDigitalPin(n) ((n) < NUM_ANALOG_INPUTS ? (n) + PIN_A0 : -1)

#endif
