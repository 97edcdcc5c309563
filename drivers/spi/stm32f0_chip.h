/*
 * What the SPI driver needs of the STM32F0 beside stm32f0_fifo.c, see chip_spi.h.
 */
#ifndef TAKT_SPI_STM32F0_CHIP_H
#define TAKT_SPI_STM32F0_CHIP_H

#include <gpio/chip_gpio.h>

#include "../gpio/stm32f0_pins.h"

struct spi_chip {
    uint8_t number;
};

#define SPI_CHIP_BUS0                                                                              \
    {                                                                                              \
        0                                                                                          \
    }
#define SPI_CHIP_BUS1                                                                              \
    {                                                                                              \
        1                                                                                          \
    }

#define SPI_CHIP_POLLED false

/* Two frames of 8 bits take 86 us at the slowest clock, so that interrupts would always come more
 * often than is good: threads serve every transfer, and the interrupt hands the bus over. */
#define SPI_CHIP_FRAMES        1u
#define SPI_CHIP_POLL_TOTAL_NS 100000u

enum spi_role { SPI_MISO, SPI_SCK, SPI_MOSI };

static inline bool spi_chip_has_pin(uint8_t pin)
{
    return pin < stm32f0_pin_count;
}

/* SPI1 has SCK, MISO and MOSI on PA5 to PA7 and PB3 to PB5, SPI2 on PB13 to PB15. */
static inline bool spi_chip_pin_fits(uint8_t n, uint8_t pin, enum spi_role role)
{
    unsigned order = role == SPI_SCK ? 0u : role == SPI_MISO ? 1u : 2u;
    if (pin >= stm32f0_pin_count)
        return false;
    unsigned chip_pin = stm32f0_pins[pin] - order;
    return n == 0 ? chip_pin == STM32F0_PIN('A', 5) || chip_pin == STM32F0_PIN('B', 3)
                  : chip_pin == STM32F0_PIN('B', 13);
}

static inline void spi_chip_pin_start(uint8_t pin)
{
    stm32f0_pin_set(stm32f0_pins[pin], STM32F0_ALTERNATE, STM32F0_NO_PULL, 0);
}

static inline struct stm32f0_spi *spi_chip_hw(const struct spi_chip *chip)
{
    return chip->number == 0 ? STM32F0_SPI1 : STM32F0_SPI2;
}

static inline enum stm32f0_irq spi_chip_irq(const struct spi_chip *chip)
{
    return chip->number == 0 ? STM32F0_IRQ_SPI1 : STM32F0_IRQ_SPI2;
}

static inline void spi_chip_irq_start(const struct spi_chip *chip)
{
    stm32f0_irq_enable(spi_chip_irq(chip), 2);
}

static inline void spi_chip_pend(const struct spi_chip *chip)
{
    stm32f0_irq_pend(spi_chip_irq(chip));
}

static inline void spi_chip_stop(const struct spi_chip *chip)
{
    spi_chip_hw(chip)->cr1 = 0;
}

#endif
