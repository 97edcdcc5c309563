/*
 * The SPI controller of an ATmega (ATmega328P data sheet 19): what its registers mean.
 */
#ifndef TAKT_SPI_AVR_SPI_H
#define TAKT_SPI_AVR_SPI_H

#include <takt/spi.h>

#include <spi/chip_spi.h>

enum {
    AVR_SPI_RATE_SHIFT = 0, /* of SPCR */
    AVR_SPI_MODE_SHIFT = 2,
    AVR_SPI_CONTROLLER = 1u << 4,
    AVR_SPI_LSB_FIRST = 1u << 5,
    AVR_SPI_ENABLE = 1u << 6,
    AVR_SPI_DONE = 1u << 7, /* of SPSR */
};

struct avr_spi_control {
    uint8_t spcr, spsr;
    uint8_t shift; /* the CPU's clock is divided by 1 << shift */
};

/* As an input that is low, SS would end its being a controller. */
static inline void avr_spi_select_itself(void)
{
    volatile uint8_t *port = avr_port(SPI_CHIP_SS);
    uint8_t ss = avr_bit(SPI_CHIP_SS);
    SPCR = 0;
    if (port[AVR_DIR] & ss)
        return;
    port[AVR_OUT] |= ss;
    port[AVR_DIR] |= ss;
}

static inline bool avr_spi_possible(const struct takt_spi_settings *s)
{
    return s->hz >= TAKT_SPI_HZ_MIN && s->mode < 4 && (s->bits == 8 || s->bits == 16);
}

/* The clock is divided by 2 to 128; for odd shifts but the last by half of what the rate says. */
static inline struct avr_spi_control avr_spi_control(const struct takt_spi_settings *s)
{
    uint8_t shift = 1;
    for (uint32_t hz = F_CPU / 2; shift < 7 && hz > s->hz; hz >>= 1)
        shift++;
    return (struct avr_spi_control){
        (uint8_t)(AVR_SPI_ENABLE | AVR_SPI_CONTROLLER | (unsigned)s->mode << AVR_SPI_MODE_SHIFT |
                  (s->lsb_first ? AVR_SPI_LSB_FIRST : 0u) |
                  (shift - 1u) >> 1 << AVR_SPI_RATE_SHIFT),
        shift < 7 ? shift & 1u : 0,
        shift,
    };
}

#endif
