/*
 * SPI, by the names of the pico's SDK, through the library of Arduino's: what is sent here goes as
 * the bus's last beginTransaction() says. C++.
 */
#ifndef TAKT_PICO_HARDWARE_SPI_H
#define TAKT_PICO_HARDWARE_SPI_H

#include <SPI.h>
#include <hardware/address_mapped.h>

typedef struct {
    io_rw_32 cr0, cr1, dr, sr, cpsr, imsc, ris, mis, icr, dmacr;
} spi_hw_t;

typedef struct spi_inst spi_inst_t;

#define spi0 ((spi_inst_t *)0x4003C000u)
#define spi1 ((spi_inst_t *)0x40040000u)

enum { SPI_SSPCR0_DSS_LSB = 0, SPI_SSPCR0_DSS_BITS = 15 };

/* What is written there lasts until the next transfer, which sets all of it. */
static inline spi_hw_t *spi_get_hw(spi_inst_t *spi)
{
    return (spi_hw_t *)spi;
}

static inline SPIClass &takt_spi_of_(spi_inst_t *spi)
{
    return spi == spi0 ? SPI : SPI1;
}

static inline int spi_write_blocking(spi_inst_t *spi, const uint8_t *from, size_t n)
{
    takt_spi_of_(spi).transfer(from, nullptr, n);
    return static_cast<int>(n);
}

static inline int spi_write_read_blocking(spi_inst_t *spi, const uint8_t *from, uint8_t *to,
                                          size_t n)
{
    takt_spi_of_(spi).transfer(from, to, n);
    return static_cast<int>(n);
}

static inline int spi_write16_blocking(spi_inst_t *spi, const uint16_t *from, size_t n)
{
    takt_spi_of_(spi).transfer16(from, nullptr, n);
    return static_cast<int>(n);
}

#endif
