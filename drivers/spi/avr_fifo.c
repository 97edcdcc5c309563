/*
 * The SPI controller of an ATmega (ATmega328P data sheet 19): a byte at a time; a frame of 16 bits
 * is two. `sent` and `received` are bytes.
 */
#include <takt/port.h>

#include "bus.h"

enum { /* of SPCR, SPSR */
    RATE_SHIFT = 0,
    MODE_SHIFT = 2,
    CONTROLLER = 1u << 4,
    LSB_FIRST = 1u << 5,
    ENABLE = 1u << 6,
    DONE = 1u << 7,
};

#define BURST 4u /* bytes a call, for interrupts are off meanwhile */

/* As an input that is low, SS would end its being a controller. */
void spi_fifo_reset(struct spi_bus *bus)
{
    volatile uint8_t *port = avr_port(SPI_CHIP_SS);
    uint8_t ss = avr_bit(SPI_CHIP_SS);
    spi_chip_stop(&bus->chip);
    if (port[AVR_DIR] & ss)
        return;
    port[AVR_OUT] |= ss;
    port[AVR_DIR] |= ss;
}

bool spi_fifo_possible(const struct takt_spi_settings *s)
{
    return s->hz >= TAKT_SPI_HZ_MIN && s->mode < 4 && (s->bits == 8 || s->bits == 16);
}

/* The clock is divided by 1 << shift, 2 to 128; for odd shifts but the last by half of what the
 * rate says. */
uint32_t spi_fifo_plan(struct spi_transfer *t)
{
    const struct takt_spi_settings *s = &t->settings;
    unsigned shift = 1;
    while (shift < 7 && (uint32_t)F_CPU >> shift > s->hz)
        shift++;
    t->cr0 = (uint16_t)(ENABLE | CONTROLLER | (unsigned)s->mode << MODE_SHIFT |
                        (s->lsb_first ? LSB_FIRST : 0u) | (shift - 1u) >> 1 << RATE_SHIFT);
    t->cr1 = shift < 7 ? shift & 1u : 0;
    if (TAKT_ONE_THREAD)
        return 0; /* does not matter */
    return s->bits * (1000ul << shift) / (F_CPU / 1000000ul);
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

/* All of it, where the one thread has nothing else to do. */
static void move_alone(struct spi_transfer *t, size_t all)
{
    while (t->sent < all) {
        put(t);
        while (!(SPSR & DONE)) {
        }
        take(t);
    }
}

bool spi_fifo_move(struct spi_bus *bus)
{
    struct spi_transfer *t = spi_current(bus);
    size_t all = t->settings.bits == 16 ? t->n * 2u : t->n;
    if (TAKT_ONE_THREAD) {
        move_alone(t, all);
        return true;
    }
    bool fast = t->settings.hz >= F_CPU / 8; /* 64 cycles a byte */
    for (uint8_t most = BURST; most > 0; most--) {
        if (t->sent == t->received && t->sent < all)
            put(t);
        if (t->received == all)
            return true;
        while (fast && !(SPSR & DONE)) {
        }
        if (!(SPSR & DONE))
            return false;
        take(t);
    }
    return t->received == all;
}

void spi_fifo_tell(struct spi_bus *bus, bool tell)
{
    (void)bus, (void)tell; /* served by threads */
}

#if !TAKT_ONE_THREAD
void spi_chip_kicked(struct avr_alarm *alarm)
{
    TAKT_FACT("called alarm");
    (void)alarm;
    spi_serve(0, SPI_STC_vect_num);
}
#endif
