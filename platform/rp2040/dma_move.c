/*
 * DMA: which channel is next (datasheet 2.5.2: of those with high priority each once, then one of
 * the others, in turn), and a transfer: a read, a write, in the cycle of the event.
 *
 * The bus holds data of narrow transfers in all lanes, so a byte goes to any address. RAM and flash
 * are words: addresses that do not fit the size lose their low bits.
 */
#include <string.h>

#include "rp2040.h"

static uint32_t bit(unsigned n)
{
    return 1u << n;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void dma_arm(struct takt_machine *m)
{
    const struct dma *d = &m->soc->dma;
    uint64_t at = TAKT_NEVER;
    for (uint32_t left = dma_wanted(d, TAKT_NEVER); left != 0; left &= left - 1) {
        uint64_t ready = later(d->channel[__builtin_ctz(left)].ready, d->free);
        at = ready < at ? ready : at;
    }
    event_set(m, EV_DMA, at);
}

/* The first of a set behind the one that was last. */
static unsigned next_of(uint32_t set, unsigned last)
{
    uint32_t behind = set & ~((2u << last) - 1);
    return (unsigned)__builtin_ctz(behind != 0 ? behind : set);
}

/* `ready` is not empty. */
static unsigned choose(struct dma *d, uint32_t ready)
{
    uint32_t high = 0;
    for (unsigned n = 0; n < DMA_CHANNELS; n++)
        high |= (d->channel[n].ctrl & DMA_HIGH) != 0 ? ready & bit(n) : 0;
    bool round_ends = (high & ~d->served) == 0, urgent = !round_ends || ready == high;
    if (round_ends)
        d->served = 0;
    unsigned n = next_of(urgent ? high & ~d->served : ready & ~high, d->last[urgent]);
    d->served |= urgent ? bit(n) : 0;
    return d->last[urgent] = n;
}

static uint32_t size_of(const struct dma_channel *c)
{
    return 1u << (c->ctrl >> 2 & 3);
}

/* By a ring only the low bits of an address change. */
static uint32_t step(const struct dma_channel *c, uint32_t address, bool write)
{
    uint32_t bits = c->ctrl >> 6 & 15, next = address + size_of(c), kept = ~(bit(bits) - 1);
    if ((c->ctrl & (write ? DMA_INCR_WRITE : DMA_INCR_READ)) == 0)
        return address;
    if (bits == 0 || ((c->ctrl & DMA_RING_WRITE) != 0) != write)
        return next;
    return (address & kept) | (next & ~kept);
}

/* The CPU's own devices are not on the bus; what is not modelled is reported and reads as 0. */
static bool reaches(uint32_t address)
{
    return address < 0xd0000000u;
}

static uint32_t read_data(struct takt_machine *m, uint32_t address, uint32_t size, uint32_t *cost)
{
    const uint8_t *memory = bus_memory(m, address, size);
    uint32_t value = 0;
    *cost = 1;
    m->bus_fault = !reaches(address);
    m->bus_extra = 0;
    if (m->bus_fault)
        return 0;
    if (address >> 28 < 4 && memory != NULL) {
        memcpy(&value, memory, size);
        *cost += address >> 28 == 1 ? cache_look(m, address) : 0;
        return value;
    }
    value = bus_read(m, address, size);
    *cost += (uint32_t)m->bus_extra;
    return value;
}

static uint32_t write_data(struct takt_machine *m, uint32_t address, uint32_t size, uint32_t value)
{
    m->bus_fault = !reaches(address);
    m->bus_extra = 0;
    if (!m->bus_fault)
        bus_write(m, address, value, size);
    return 1 + (uint32_t)m->bus_extra;
}

static uint32_t swapped(const struct dma_channel *c, uint32_t value, uint32_t size)
{
    if ((c->ctrl & DMA_BSWAP) == 0 || size == 1)
        return value;
    return size == 2 ? (value >> 8 & 0xff) | (value << 8 & 0xff00) : __builtin_bswap32(value);
}

static uint32_t aligned(struct takt_machine *m, uint32_t address, uint32_t size)
{
    if ((address & (size - 1)) != 0)
        report_note(m, "DMA: an address does not fit the size of the data");
    return address & ~(size - 1);
}

/* An access that fails ends the channel, with its address as it was. */
static void move(struct takt_machine *m, struct dma_channel *c, uint64_t when)
{
    uint32_t size = size_of(c), reads = 1, writes = 1;
    uint32_t value = read_data(m, aligned(m, c->read, size), size, &reads);
    uint32_t failed = m->bus_fault ? DMA_READ_ERROR : 0;
    uint32_t to = c->write;
    if (failed == 0) {
        c->read = step(c, c->read, false);
        c->count--;
        c->pulses -= c->pulses != 0;
        c->write = step(c, to, true);
        writes = write_data(m, aligned(m, to, size), size, swapped(c, value, size));
        failed = m->bus_fault ? DMA_WRITE_ERROR : 0;
    }
    c->ctrl |= failed;
    m->soc->dma.free = when + (reads > writes ? reads : writes);
}

void dma_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    struct dma *d = &m->soc->dma;
    uint64_t now = m->now;
    unsigned n = choose(d, dma_wanted(d, when));
    struct dma_channel *c = &d->channel[n];
    (void)id;
    m->now = when; /* devices know no other time of a store */
    if (c->count != 0)
        move(m, c, when);
    bool over = c->count == 0 || (c->ctrl & (DMA_READ_ERROR | DMA_WRITE_ERROR)) != 0;
    if (over && (d->busy & bit(n)) != 0)
        dma_end(m, n, when);
    m->now = now;
    dma_look(m);
    dma_arm(m); /* also where none is left: the device may have looked before the end */
}
