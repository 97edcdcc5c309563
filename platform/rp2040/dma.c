/* DMA: registers, triggers, interrupts. */
#include <string.h>

#include "rp2040.h"

#define CTRL_WRITTEN 0x00ffffffu /* the rest is status */
#define ALL          ((1u << DMA_CHANNELS) - 1)

enum {
    INTR = 0x400,
    INTE0 = 0x404,
    INTF0 = 0x408,
    INTS0 = 0x40c,
    INTE1 = 0x414,
    INTF1 = 0x418,
    INTS1 = 0x41c,
    TIMER0 = 0x420,
    MULTI_TRIGGER = 0x430,
    SNIFF_CTRL = 0x434,
    SNIFF_DATA = 0x438,
    FIFO_LEVELS = 0x440,
    ABORT = 0x444,
    N_CHANNELS = 0x448,
    DEBUG = 0x800,
};

enum field { READ, WRITE, COUNT, CTRL };

/* A channel's registers: four sets of the same in another order, of which the last one triggers. */
static const uint8_t fields[16] = {
    READ, WRITE, COUNT, CTRL,  CTRL, READ,  WRITE, COUNT,
    CTRL, COUNT, READ,  WRITE, CTRL, WRITE, COUNT, READ,
};

static struct dma *dma_of(struct takt_machine *m)
{
    return &m->soc->dma;
}

static void report(struct takt_machine *m, const char *what, uint32_t offset, bool write,
                   uint32_t value)
{
    report_access(m, what, dma_device.base + offset, offset, write, value);
}

static uint32_t pending(const struct dma *d, unsigned line)
{
    return (d->intr & d->inte[line]) | d->intf[line];
}

void dma_update_irqs(struct takt_machine *m)
{
    for (unsigned line = 0; line < 2; line++)
        irq_line(m, IRQ_DMA0 + line, pending(dma_of(m), line) != 0);
}

/* A channel may start others, and write what starts them. */
bool dma_can_interrupt(const struct takt_machine *m)
{
    const struct dma *d = &m->soc->dma;
    return d->busy != 0 && (d->inte[0] | d->inte[1]) != 0;
}

/* One that is busy already, or off, or has failed, does not listen. */
void dma_trigger(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct dma_channel *c = &dma_of(m)->channel[n];
    bool on = (c->ctrl & (DMA_EN | DMA_READ_ERROR | DMA_WRITE_ERROR)) == DMA_EN;
    if (!on || (dma_of(m)->busy >> n & 1) != 0)
        return;
    c->count = c->reload;
    dma_of(m)->busy |= 1u << n;
    if ((c->ctrl & DMA_SNIFF) != 0)
        report_note(m, "DMA: the sniffer is not modelled");
    if (c->count == 0)
        report_note(m, "DMA: a channel was started with nothing to move");
    dma_request_begin(m, c, when);
    dma_arm(m);
}

/* It has moved all, or an error ends it: then no other follows. */
void dma_end(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct dma *d = dma_of(m);
    struct dma_channel *c = &d->channel[n];
    bool failed = (c->ctrl & (DMA_READ_ERROR | DMA_WRITE_ERROR)) != 0;
    unsigned next = c->ctrl >> 11 & 15;
    d->busy &= ~(1u << n);
    if (failed || (c->ctrl & DMA_QUIET) == 0)
        d->intr |= 1u << n;
    dma_update_irqs(m);
    if (next != n && next < DMA_CHANNELS && !failed)
        dma_trigger(m, next, when);
}

static uint32_t control(const struct dma *d, unsigned n)
{
    uint32_t ctrl = d->channel[n].ctrl;
    bool error = (ctrl & (DMA_READ_ERROR | DMA_WRITE_ERROR)) != 0;
    return ctrl | ((d->busy >> n & 1) != 0 ? DMA_BUSY : 0) | (error ? DMA_AHB_ERROR : 0);
}

static uint32_t channel_read(const struct dma *d, unsigned n, unsigned at)
{
    const struct dma_channel *c = &d->channel[n];
    switch ((enum field)fields[at]) {
    case READ:
        return c->read;
    case WRITE:
        return c->write;
    case COUNT:
        return c->count;
    case CTRL:
        break;
    }
    return control(d, n);
}

/* A one clears an error. */
static void write_control(struct takt_machine *m, unsigned n, uint32_t value)
{
    struct dma_channel *c = &dma_of(m)->channel[n];
    uint32_t errors = c->ctrl & ~value & (DMA_READ_ERROR | DMA_WRITE_ERROR);
    uint32_t was = c->ctrl;
    c->ctrl = (value & CTRL_WRITTEN) | errors;
    if ((dma_of(m)->busy >> n & 1) != 0 && ((was ^ c->ctrl) & DMA_TREQ) != 0)
        dma_request_begin(m, c, m->now);
    else if ((~was & c->ctrl & DMA_EN) != 0)
        dma_begin(c, m->now);
}

/* A trigger of nothing: it ends a list of control blocks, which may be told by an interrupt. */
static void null_trigger(struct takt_machine *m, unsigned n)
{
    if ((dma_of(m)->channel[n].ctrl & DMA_QUIET) != 0)
        dma_of(m)->intr |= 1u << n;
    dma_update_irqs(m);
}

static void channel_write(struct takt_machine *m, unsigned n, unsigned at, uint32_t value)
{
    struct dma_channel *c = &dma_of(m)->channel[n];
    switch ((enum field)fields[at]) {
    case READ:
        c->read = value;
        break;
    case WRITE:
        c->write = value;
        break;
    case COUNT:
        c->reload = value;
        break;
    case CTRL:
        write_control(m, n, value);
        break;
    }
    if (at % 4 == 3 && value == 0)
        null_trigger(m, n);
    else if (at % 4 == 3)
        dma_trigger(m, n, m->now);
}

/* At once: nothing is ever on its way, as it is on the chip. */
static void abort_channels(struct takt_machine *m, uint32_t which)
{
    struct dma *d = dma_of(m);
    if ((which & d->busy & (d->inte[0] | d->inte[1])) != 0)
        report_note(m, "DMA: the interrupt of a channel that is aborted may come (RP2040-E13)");
    d->busy &= ~which;
    for (unsigned n = 0; n < DMA_CHANNELS; n++) {
        if ((which >> n & 1) != 0)
            d->channel[n].count = 0;
    }
}

static uint32_t debug_read(struct takt_machine *m, uint32_t offset)
{
    unsigned n = (offset - DEBUG) / 0x40;
    const struct dma_channel *c = &dma_of(m)->channel[n];
    if (n < DMA_CHANNELS && offset % 0x40 == 4)
        return c->reload;
    report(m, "DMA", offset, false, 0);
    return 0;
}

static uint32_t dma_read(struct takt_machine *m, uint32_t offset)
{
    struct dma *d = dma_of(m);
    if (offset < DMA_CHANNELS * 0x40)
        return channel_read(d, offset / 0x40, offset % 0x40 / 4);
    if (offset >= TIMER0 && offset < MULTI_TRIGGER)
        return d->timer[(offset - TIMER0) / 4].ratio;
    if (offset >= DEBUG)
        return debug_read(m, offset);
    switch (offset) {
    case INTR:
        return d->intr;
    case INTE0:
    case INTE1:
        return d->inte[offset == INTE1];
    case INTF0:
    case INTF1:
        return d->intf[offset == INTF1];
    case INTS0:
    case INTS1:
        return pending(d, offset == INTS1);
    case MULTI_TRIGGER:
    case FIFO_LEVELS:
    case ABORT:
        return 0;
    case N_CHANNELS:
        return DMA_CHANNELS;
    }
    report(m, "DMA", offset, false, 0);
    return 0;
}

static void timer_write(struct takt_machine *m, unsigned n, uint32_t value)
{
    if ((value >> 16) > (value & 0xffff))
        report(m, "DMA (a timer faster than the clock)", TIMER0 + 4 * n, true, value);
    dma_of(m)->timer[n] = (struct dma_timer){value, m->now + DMA_START};
    dma_arm_timers(m, m->now);
}

static void trigger_many(struct takt_machine *m, uint32_t which)
{
    for (unsigned n = 0; n < DMA_CHANNELS; n++) {
        if ((which >> n & 1) != 0)
            dma_trigger(m, n, m->now);
    }
}

static void global_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct dma *d = dma_of(m);
    if (offset == INTR || offset == INTS0 || offset == INTS1)
        d->intr &= ~value;
    else if (offset == INTE0 || offset == INTE1)
        d->inte[offset == INTE1] = value & ALL;
    else if (offset == INTF0 || offset == INTF1)
        d->intf[offset == INTF1] = value & ALL;
    else if (offset >= TIMER0 && offset < MULTI_TRIGGER)
        timer_write(m, (offset - TIMER0) / 4, value);
    else if (offset == MULTI_TRIGGER)
        trigger_many(m, value);
    else if (offset == ABORT)
        abort_channels(m, value);
    else if (offset >= DEBUG && offset < DEBUG + DMA_CHANNELS * 0x40 && offset % 0x40 == 0)
        d->channel[(offset - DEBUG) / 0x40].pulses = 0;
    else
        report(m, offset == SNIFF_CTRL || offset == SNIFF_DATA ? "DMA (sniffer)" : "DMA", offset,
               true, value);
}

static void dma_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    if (offset < DMA_CHANNELS * 0x40)
        channel_write(m, offset / 0x40, offset % 0x40 / 4, value);
    else
        global_write(m, offset, value);
    dma_update_irqs(m);
    dma_arm(m);
}

/* Each is followed by itself, that is by none. */
static void dma_reset(struct takt_machine *m)
{
    struct dma *d = dma_of(m);
    memset(d, 0, sizeof *d);
    d->last[0] = d->last[1] = DMA_CHANNELS - 1;
    for (unsigned n = 0; n < DMA_CHANNELS; n++)
        d->channel[n].ctrl = n << 11;
    event_set(m, EV_DMA_TIMER, TAKT_NEVER);
    dma_update_irqs(m);
    dma_arm(m);
}

const struct device dma_device = {"DMA", 0x50000000, 2, dma_read, dma_write, dma_reset};
