/*
 * Where the pins of the galileo are; the same as in board.toml, whose readers are the tools.
 *
 *   Arduino pin   0   1   2   3   4   5   6   7   8   9  10  11  12  13
 *   port.bit    4.6 4.7 2.0 0.2 1.4 0.1 1.0 1.3 1.2 0.3 0.0 1.1 3.2 3.3   of the expander
 *   chip                GP2 GP3                                           after pinMode(FAST)
 *
 * This is how Intel's Galileo (first generation) is wired.
 */
#ifndef TAKT_GALILEO_H
#define TAKT_GALILEO_H

#include <stdbool.h>
#include <stdint.h>

enum {
    GALILEO_DIGITAL_PINS = 14,
    GALILEO_ANALOG_PIN = 14, /* A0 */
    GALILEO_ANALOG_PINS = 6, /* channels 0..5 of the converter */
    GALILEO_FAST_PINS = 1 << 2 | 1 << 3,

    GALILEO_I2C_BUS = 0,
    GALILEO_SDA = 20,
    GALILEO_SCL = 21,
    GALILEO_I2C_HZ = 100000,
    GALILEO_EXPANDER = 0x20, /* address */
    GALILEO_INT = 22,        /* of the expander, active high */

    GALILEO_SPI_BUS = 1,
    GALILEO_SCK = 10,
    GALILEO_MOSI = 11,
    GALILEO_MISO = 12,
    GALILEO_ADC_SELECT = 13,
};

/* Does the chip have the pin itself just now? Either context. */
bool galileo_is_fast(uint8_t pin);

#endif
