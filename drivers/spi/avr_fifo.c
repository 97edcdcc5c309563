/*
 * The SPI controller of an ATmega (ATmega328P data sheet 19): a byte at a time; a frame of 16 bits
 * is two. `sent` and `received` are bytes.
 */
#include <takt/port.h>

#include "avr_spi.h"
#include "bus.h"

#define BURST 4u /* bytes a call, for interrupts are off meanwhile */

void spi_fifo_reset(struct spi_bus *bus)
{
    (void)bus;
    avr_spi_select_itself();
}

bool spi_fifo_possible(const struct takt_spi_settings *s)
{
    return avr_spi_possible(s);
}

uint32_t spi_fifo_plan(struct spi_transfer *t)
{
    struct avr_spi_control control = avr_spi_control(&t->settings);
    t->cr0 = control.spcr;
    t->cr1 = control.spsr;
    return t->settings.bits * (1000ul << control.shift) / (F_CPU / 1000000ul);
}

void spi_fifo_set(struct spi_bus *bus)
{
    const struct spi_transfer *t = spi_current(bus);
    SPCR = (uint8_t)t->cr0;
    SPSR = (uint8_t)t->cr1;
}

/* Where byte n of a transfer lies: of words, the one with the higher bits goes first. */
static size_t place(const struct spi_transfer *t, size_t n)
{
    return t->settings.bits == 16 && !t->settings.lsb_first ? n ^ 1u : n;
}

static void put(struct spi_transfer *t)
{
    SPDR = t->out != NULL ? ((const uint8_t *)t->out)[place(t, t->sent)] : 0;
    t->sent++;
}

static void take(struct spi_transfer *t)
{
    uint8_t byte = SPDR;
    if (t->in != NULL)
        ((uint8_t *)t->in)[place(t, t->received)] = byte;
    t->received++;
}

bool spi_fifo_move(struct spi_bus *bus)
{
    struct spi_transfer *t = spi_current(bus);
    size_t all = t->settings.bits == 16 ? t->n * 2u : t->n;
    bool fast = t->settings.hz >= F_CPU / 8; /* 64 cycles a byte */
    for (uint8_t most = BURST; most > 0; most--) {
        if (t->sent == t->received && t->sent < all)
            put(t);
        if (t->received == all)
            return true;
        while (fast && !(SPSR & AVR_SPI_DONE)) {
        }
        if (!(SPSR & AVR_SPI_DONE))
            return false;
        take(t);
    }
    return t->received == all;
}

void spi_fifo_tell(struct spi_bus *bus, bool tell)
{
    (void)bus, (void)tell; /* served by threads */
}

void spi_chip_kicked(struct avr_alarm *alarm)
{
    TAKT_FACT("called alarm");
    (void)alarm;
    spi_serve(0, SPI_STC_vect_num);
}
