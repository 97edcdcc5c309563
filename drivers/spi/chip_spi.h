/*
 * What the SPI driver needs of a chip beside <chip>_fifo.c: pins and an interrupt. Here of the
 * RP2040; a board with another chip has a spi/chip_spi.h of its own, earlier in the include path.
 */
#ifndef TAKT_SPI_CHIP_H
#define TAKT_SPI_CHIP_H

#include <gpio/chip_gpio.h>

#include "../rp2040/rp2040.h"

struct spi_chip {
    struct rp2040_spi *hw;
    uint32_t reset;
    enum rp2040_irq irq;
};

#define SPI_CHIP_BUS0                                                                              \
    {                                                                                              \
        RP2040_SPI0, RP2040_RESET_SPI0, RP2040_IRQ_SPI0                                            \
    }
#define SPI_CHIP_BUS1                                                                              \
    {                                                                                              \
        RP2040_SPI1, RP2040_RESET_SPI1, RP2040_IRQ_SPI1                                            \
    }

#define SPI_CHIP_POLLED        false  /* by threads only, so that interrupts may transfer, too */
#define SPI_CHIP_FRAMES        4u     /* an interrupt */
#define SPI_CHIP_POLL_TOTAL_NS 40000u /* two switches of threads and what belongs to them */

enum spi_role { SPI_MISO = 0, SPI_SCK = 2, SPI_MOSI = 3 };

static inline bool spi_chip_has_pin(uint8_t pin)
{
    return pin < RP2040_PINS;
}

/* Pins of a bus come in groups of eight, and what each can be repeats after four. */
static inline bool spi_chip_pin_fits(uint8_t n, uint8_t pin, enum spi_role role)
{
    return pin < RP2040_PINS && (pin >> 3 & 1u) == n && (pin & 3u) == (unsigned)role;
}

/* The pin is the controller's. */
static inline void spi_chip_pin_start(uint8_t pin)
{
    rp2040_pin_function(pin, RP2040_FUNCTION_SPI);
}

static inline void spi_chip_irq_start(const struct spi_chip *chip)
{
    rp2040_irq_enable(chip->irq, 2);
}

/* The handler is to run. */
static inline void spi_chip_pend(const struct spi_chip *chip)
{
    rp2040_irq_pend(chip->irq);
}

static inline void spi_chip_stop(const struct spi_chip *chip)
{
    RP2040_SET(RP2040_RESETS->reset) = chip->reset;
}

#endif
