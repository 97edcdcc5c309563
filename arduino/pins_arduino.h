/*
 * Pin names of the pico: Arduino pin n is GPn. A board with other names puts its own
 * pins_arduino.h earlier in the include path.
 */
#ifndef Pins_Arduino_h
#define Pins_Arduino_h

#include <stdint.h>

#define NUM_DIGITAL_PINS  30
#define NUM_ANALOG_INPUTS 4

#define PIN_LED     25
#define LED_BUILTIN 25

#define PIN_A0 26
#define PIN_A1 27
#define PIN_A2 28
#define PIN_A3 29

#define PIN_SERIAL_TX  0
#define PIN_SERIAL_RX  1
#define PIN_SERIAL1_TX 4
#define PIN_SERIAL1_RX 5

/* I2C and SPI: away from the pins of Serial1 and from 2 and 3, which sketches like for
 * interrupts. */
#define PIN_WIRE_SDA  20
#define PIN_WIRE_SCL  21
#define PIN_WIRE1_SDA 14
#define PIN_WIRE1_SCL 15

#define PIN_SPI_MISO  16
#define PIN_SPI_SS    17
#define PIN_SPI_SCK   18
#define PIN_SPI_MOSI  19
#define PIN_SPI1_MISO 12
#define PIN_SPI1_SS   13
#define PIN_SPI1_SCK  10
#define PIN_SPI1_MOSI 11

#include <pins_arduino_constants.h>

/* The registers themselves, of which there is one set (SIO; RP2040 data sheet 2.3.1.7), for
 * libraries that write to them: two loops that change one may disturb each other. */
#ifdef __arm__
#define digitalPinToPort(p)    0
#define digitalPinToBitMask(p) (1ul << (p))
#define portInputRegister(n)   ((volatile uint32_t *)0xD0000004u)
#define portOutputRegister(n)  ((volatile uint32_t *)0xD0000010u)
#define portModeRegister(n)    ((volatile uint32_t *)0xD0000020u)
#endif

/* Modes of pinMode(): all pins are fast. */
#define INPUT_FAST  INPUT
#define OUTPUT_FAST OUTPUT

#define digitalPinHasPWM(p)        ((p) < NUM_DIGITAL_PINS)
#define digitalPinToInterrupt(p)   ((p) < NUM_DIGITAL_PINS ? (p) : NOT_AN_INTERRUPT)
#define analogInputToDigitalPin(n) ((n) < NUM_ANALOG_INPUTS ? (n) + PIN_A0 : -1)

#endif
