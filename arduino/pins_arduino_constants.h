/*
 * Names of pins that sketches know as constants, from those that a board's pins_arduino.h defines.
 */
#ifndef TAKT_PINS_ARDUINO_CONSTANTS_H
#define TAKT_PINS_ARDUINO_CONSTANTS_H

#include <stdint.h>

static const uint8_t A0 = PIN_A0;
static const uint8_t A1 = PIN_A1;
static const uint8_t A2 = PIN_A2;
static const uint8_t A3 = PIN_A3;
#ifdef PIN_A4
static const uint8_t A4 = PIN_A4;
static const uint8_t A5 = PIN_A5;
#endif
#ifdef PIN_A6
static const uint8_t A6 = PIN_A6;
static const uint8_t A7 = PIN_A7;
#endif

static const uint8_t SDA = PIN_WIRE_SDA;
static const uint8_t SCL = PIN_WIRE_SCL;
static const uint8_t SS = PIN_SPI_SS;
static const uint8_t MOSI = PIN_SPI_MOSI;
static const uint8_t MISO = PIN_SPI_MISO;
static const uint8_t SCK = PIN_SPI_SCK;

#endif
