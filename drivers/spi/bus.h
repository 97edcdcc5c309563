/*
 * An SPI bus, as its two parts see it: transfer.c decides which thread's turn it is and what serves
 * it, <chip>_fifo.c moves frames. Everything here is touched with interrupts off only, or in the
 * interrupt of the bus.
 */
#ifndef TAKT_SPI_BUS_H
#define TAKT_SPI_BUS_H

#include <takt/spi.h>

#include "../bus/queue.h"
#include <spi/chip_spi.h>

/* On the stack of the calling thread. */
struct spi_transfer {
    struct bus_request request; /* first */
    struct takt_spi_settings settings;
    const void *out;
    void *in;
    size_t n, sent, received; /* frames */
    uint8_t chip_select;
    uint16_t cr0, cr1; /* the chip's, from spi_fifo_plan() */
    bool polled; /* to be served by threads: this one and those that wait for the bus */
};

struct spi_bus {
    struct spi_chip chip;
    struct bus_queue queue;
    bool open;
    uint8_t sck, mosi, miso;
};

static inline struct spi_transfer *spi_current(struct spi_bus *bus)
{
    return (struct spi_transfer *)bus->queue.current;
}

/* What the interrupt of the chip calls, unbracketed. */
void spi_serve(uint8_t n, uint8_t irq);

/* Sets the block up. */
void spi_fifo_reset(struct spi_bus *bus);

/* Can the hardware do this? */
bool spi_fifo_possible(const struct takt_spi_settings *settings);

/* Works out clock and format for a transfer; returns the ns a frame takes. Any context. */
uint32_t spi_fifo_plan(struct spi_transfer *transfer);

/* Sets them for the current transfer. */
void spi_fifo_set(struct spi_bus *bus);

/* Moves a few frames of the current transfer; true when all of it has been received. */
bool spi_fifo_move(struct spi_bus *bus);

/* The interrupt comes when frames are to be moved; or not. */
void spi_fifo_tell(struct spi_bus *bus, bool tell);

#endif
