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

/* Written by the thread with interrupts off, or by whatever `busy` says has the bus. */
static struct takt_spi_settings set; /* what the controller is set to; 0 Hz: to nothing */
static uint8_t pins[3];              /* SCK, MOSI, MISO, or TAKT_SPI_NO_PIN */
static bool open;
static volatile bool busy;

static bool is_set(const struct takt_spi_settings *s)
{
    return set.hz == s->hz && set.mode == s->mode && set.bits == s->bits &&
           set.lsb_first == s->lsb_first;
}

/* What is shared with interrupts is read and written where it stands. */
static inline void fence(void)
{
    __asm__ volatile("" ::: "memory");
}

/* The bus is free. */
static void leave(void)
{
    fence();
    busy = false;
}

static bool pin_fits(uint8_t n, uint8_t pin, enum spi_role role, bool optional)
{
    return pin == TAKT_SPI_NO_PIN ? optional : spi_chip_pin_fits(n, pin, role);
}

static void stop_locked(void)
{
    if (!open)
        return;
    open = false;
    SPCR = 0;
    set.hz = 0;
    for (uint8_t i = 0; i < sizeof pins; i++)
        if (pins[i] != TAKT_SPI_NO_PIN)
            (void)chip_gpio_mode(pins[i], TAKT_GPIO_INPUT);
}

static void start_locked(const uint8_t *wanted)
{
    stop_locked();
    avr_spi_select_itself();
    for (uint8_t i = 0; i < sizeof pins; i++) {
        pins[i] = wanted[i];
        if (pins[i] != TAKT_SPI_NO_PIN)
            spi_chip_pin_start(pins[i]);
    }
    open = true;
}

int takt_spi_open(uint8_t n, uint8_t sck, uint8_t mosi, uint8_t miso)
{
    const uint8_t wanted[] = {sck, mosi, miso};
    if (!pin_fits(n, sck, SPI_SCK, false) || !pin_fits(n, mosi, SPI_MOSI, true) ||
        !pin_fits(n, miso, SPI_MISO, true))
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    port_irq_t irq = port_irq_save();
    if (!open || pins[0] != sck || pins[1] != mosi || pins[2] != miso)
        start_locked(wanted);
    port_irq_restore(irq);
    return TAKT_OK;
}

int takt_spi_close(uint8_t n)
{
    if (n != 0 || !open)
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    port_irq_t irq = port_irq_save();
    stop_locked();
    port_irq_restore(irq);
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
    fence();
    if (is_set(s))
        return TAKT_OK;
    if (!avr_spi_possible(s)) {
        leave();
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
    leave();
    return byte;
}

int takt_spi_transfer(uint8_t n, const struct takt_spi_settings *settings, uint8_t chip_select,
                      const void *out, void *in, size_t frames)
{
    bool selects = chip_select != TAKT_SPI_NO_PIN;
    if ((selects && !spi_chip_has_pin(chip_select)) || frames > INT16_MAX)
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
    leave();
    return (int)frames;
}
