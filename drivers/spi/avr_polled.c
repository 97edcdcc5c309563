/*
 * SPI of an ATmega for programs of one thread (ATmega328P data sheet 19): the calls of
 * include/takt/spi.h without queue and turns, and so under a mutex, too. Handlers in interrupts may
 * transfer between two of the thread's transfers.
 */
#include <gpio/chip_gpio.h>
#include <takt/port.h>
#include <takt/spi.h>

#include <spi/chip_spi.h>

#include "avr_spi.h"

static struct takt_spi_settings set; /* what the controller is set to; 0 Hz: to nothing */
static bool open;
static volatile bool busy;

static bool is_set(const struct takt_spi_settings *s)
{
    return set.hz == s->hz && set.mode == s->mode && set.bits == s->bits &&
           set.lsb_first == s->lsb_first;
}

static bool pin_fits(uint8_t n, uint8_t pin, enum spi_role role, bool optional)
{
    return pin == TAKT_SPI_NO_PIN ? optional : spi_chip_pin_fits(n, pin, role);
}

int takt_spi_open(uint8_t n, uint8_t sck, uint8_t mosi, uint8_t miso)
{
    if (!pin_fits(n, sck, SPI_SCK, false) || !pin_fits(n, mosi, SPI_MOSI, true) ||
        !pin_fits(n, miso, SPI_MISO, true))
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    avr_spi_select_itself();
    spi_chip_pin_start(sck);
    if (mosi != TAKT_SPI_NO_PIN)
        spi_chip_pin_start(mosi);
    if (miso != TAKT_SPI_NO_PIN)
        spi_chip_pin_start(miso);
    open = true;
    return TAKT_OK;
}

/* All pins of the controller are inputs again but SS. */
int takt_spi_close(uint8_t n)
{
    if (n != 0 || !open)
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    SPCR = 0;
    set.hz = 0;
    volatile uint8_t *port = avr_port(SPI_CHIP_SS);
    uint8_t pins = 7u << (SPI_CHIP_SS + 1u) % 8u;
    port_irq_t irq = port_irq_save();
    port[AVR_DIR] &= (uint8_t)~pins;
    port[AVR_OUT] &= (uint8_t)~pins;
    port_irq_restore(irq);
    open = false;
    return TAKT_OK;
}

static uint8_t exchange(uint8_t byte)
{
    SPDR = byte;
    while (!(SPSR & AVR_SPI_DONE)) {
    }
    return SPDR;
}

/* swap: 1 if the second byte of two goes first. */
static void move(const uint8_t *out, uint8_t *in, size_t bytes, uint8_t swap)
{
    for (size_t i = 0; i < bytes; i++) {
        size_t at = i ^ swap;
        uint8_t byte = exchange(out ? out[at] : 0);
        if (in)
            in[at] = byte;
    }
}

/* The bus is the caller's, and the controller set up: TAKT_OK, else why not. */
static int begin(uint8_t n, const struct takt_spi_settings *s)
{
    if (n != 0 || !open)
        return TAKT_EINVAL;
    if (busy)
        return TAKT_EAGAIN;
    busy = true; /* from here on interrupts leave it alone */
    if (is_set(s))
        return TAKT_OK;
    if (!avr_spi_possible(s)) {
        busy = false;
        return TAKT_EINVAL;
    }
    struct avr_spi_control control = avr_spi_control(s);
    SPCR = control.spcr;
    SPSR = control.spsr;
    set = *s;
    return TAKT_OK;
}

int takt_spi_exchange(uint8_t n, const struct takt_spi_settings *settings, uint8_t byte)
{
    int result = begin(n, settings);
    if (result != TAKT_OK)
        return result;
    byte = exchange(byte);
    busy = false;
    return byte;
}

int takt_spi_transfer(uint8_t n, const struct takt_spi_settings *settings, uint8_t chip_select,
                      const void *out, void *in, size_t frames)
{
    bool selects = chip_select != TAKT_SPI_NO_PIN;
    if (selects && !spi_chip_has_pin(chip_select))
        return TAKT_EINVAL;
    int result = begin(n, settings);
    if (result != TAKT_OK)
        return result;
    if (selects && frames > 0)
        (void)chip_gpio_write(chip_select, false);
    bool words = settings->bits == 16;
    move(out, in, words ? 2u * frames : frames, words && !settings->lsb_first);
    if (selects && frames > 0)
        (void)chip_gpio_write(chip_select, true);
    busy = false;
    return (int)frames;
}
