/*
 * AD7298: 8 voltages in 12 bits behind an SPI bus (Analog Devices, rev. B). Private to drivers/.
 */
#ifndef TAKT_AD7298_H
#define TAKT_AD7298_H

#include <takt/types.h>

struct ad7298 {
    uint8_t bus, select; /* chip select, a pin of the chip that is an output and high */
};

/*
 * Converts channel 0..7: 0 (ground) .. 4095 (reference). Thread; three transfers of 16 bits, begun
 * anew when another thread's come between them. TAKT_EBUS: no answer that makes sense; else as
 * takt_spi_transfer().
 */
int ad7298_read(const struct ad7298 *chip, uint8_t channel);

#endif
