/*
 * What the SPI driver needs of an ATmega beside avr_fifo.c. There is one bus; its pins are SS,
 * MOSI, MISO and SCK one after the other. Threads serve every transfer; what has to happen in an
 * interrupt does in an alarm's.
 */
#ifndef TAKT_SPI_CHIP_H
#define TAKT_SPI_CHIP_H

#include <avr/avr_alarm.h>
#include <avr/avr_pins.h>
#include <gpio/chip_gpio.h>
#include <takt/port.h>

#ifdef PINA
#define SPI_CHIP_SS AVR_PIN(PINB, 4)
#else
#define SPI_CHIP_SS AVR_PIN(PINB, 2)
#endif

#ifdef SPCR0 /* as if there were more than one */
#define SPCR SPCR0
#define SPSR SPSR0
#define SPDR SPDR0
#endif

struct spi_chip {
    struct avr_alarm kick; /* the handler is to run */
};

void spi_chip_kicked(struct avr_alarm *alarm); /* avr_fifo.c */

#define SPI_CHIP_BUS0                                                                              \
    {                                                                                              \
        {spi_chip_kicked, 0, false, NULL}                                                          \
    }

#define SPI_CHIP_POLLED        true
#define SPI_CHIP_FRAMES        1u
#define SPI_CHIP_POLL_TOTAL_NS 100000u

enum spi_role { SPI_MOSI = 1, SPI_MISO = 2, SPI_SCK = 3 };

static inline bool spi_chip_has_pin(uint8_t pin)
{
    return avr_pin_exists(pin);
}

static inline bool spi_chip_pin_fits(uint8_t n, uint8_t pin, enum spi_role role)
{
    return n == 0 && avr_pin_exists(pin) && avr_pin(pin) == SPI_CHIP_SS + (unsigned)role;
}

/* The controller makes outputs of no pins but drives those that are. */
static inline void spi_chip_pin_start(uint8_t pin)
{
    (void)chip_gpio_mode(pin, avr_pin(pin) == SPI_CHIP_SS + SPI_MISO ? TAKT_GPIO_INPUT
                                                                     : TAKT_GPIO_OUTPUT);
}

static inline void spi_chip_irq_start(struct spi_chip *chip)
{
    (void)chip;
}

static inline void spi_chip_pend(struct spi_chip *chip)
{
    avr_alarm_set(&chip->kick, port_now());
}

static inline void spi_chip_stop(struct spi_chip *chip)
{
    (void)chip;
    SPCR = 0;
}

#endif
