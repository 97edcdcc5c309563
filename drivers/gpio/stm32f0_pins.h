/*
 * Pins of a board with an STM32F0: the board's number of a pin is an index into its table of pins
 * of the chip. Private to drivers/ and the board.
 */
#ifndef TAKT_STM32F0_PINS_H
#define TAKT_STM32F0_PINS_H

#include <takt/types.h>

#include "../stm32f0/stm32f0.h"

#define STM32F0_PIN(port, bit) ((uint8_t)(((port) - 'A') * 16 + (bit)))

/* The board's (board/<name>/pins.c): stm32f0_pin_count of them, at most 32. */
extern const uint8_t stm32f0_pins[];
extern const uint8_t stm32f0_pin_count;

#endif
