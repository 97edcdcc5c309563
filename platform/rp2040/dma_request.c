/*
 * DMA: what paces a channel (datasheet 2.5.3). A FIFO's request is up as long as there is room or
 * data; an event's or a timer's is a pulse, of which up to 63 wait. Pulses from before the trigger
 * count for nothing.
 *
 * Timer pulses come every Y / X cycles: the k-th in the first cycle that is no less than k * Y / X
 * behind the one in which the register was written. They are events when their data are due.
 */
#include "rp2040.h"

#define PULSES_MAX 63u

static bool pio_requests(const struct takt_machine *m, uint32_t treq)
{
    const struct pio_sm *s = &m->soc->pio[treq / 8].sm[treq % 4];
    return (treq & 4) != 0 ? s->rx.count > 0 : s->tx.count < s->tx.depth;
}

/* Even requests are for words to send, odd ones for words received. */
static bool fifo_requests(const struct takt_machine *m, uint32_t treq)
{
    unsigned n = treq >> 1 & 1;
    bool rx = (treq & 1) != 0;
    const struct spi *s = &m->soc->spi[n];
    const struct i2c *i = &m->soc->i2c[n];
    if (treq < TREQ_SPI0_TX)
        return pio_requests(m, treq);
    if (treq < TREQ_UART0_TX)
        return rx ? (s->dmacr & 1) != 0 && s->rx_count > 0
                  : (s->dmacr & 2) != 0 && s->tx_count < SPI_FIFO;
    if (treq < TREQ_PWM)
        return uart_requests(m, n, rx);
    if (treq < TREQ_ADC && (i->enable & 1) == 0)
        return false;
    if (treq < TREQ_ADC)
        return rx ? (i->dma[0] & 1) != 0 && i->rx_count > i->dma[2]
                  : (i->dma[0] & 2) != 0 && i->tx_count <= i->dma[1];
    return adc_requests(m);
}

static bool by_fifo(uint32_t treq)
{
    return treq < TREQ_XIP && (treq < TREQ_PWM || treq >= TREQ_I2C0_TX);
}

static bool by_timer(uint32_t treq)
{
    return treq >= TREQ_TIMER && treq < TREQ_ALWAYS;
}

/* One with nothing to move wants to end. */
static bool wants(const struct dma_channel *c)
{
    bool asked = c->count == 0 || dma_treq(c) == TREQ_ALWAYS || c->asks || c->pulses != 0;
    return (c->ctrl & DMA_EN) != 0 && asked;
}

uint32_t dma_wanted(const struct dma *d, uint64_t when)
{
    uint32_t set = 0;
    for (uint32_t left = d->busy; left != 0; left &= left - 1) {
        const struct dma_channel *c = &d->channel[__builtin_ctz(left)];
        if (wants(c) && c->ready <= when)
            set |= left & (0u - left);
    }
    return set;
}

static void not_before(struct dma_channel *c, uint64_t when)
{
    c->ready = when > c->ready ? when : c->ready;
}

void dma_begin(struct dma_channel *c, uint64_t when)
{
    not_before(c, when + DMA_START);
}

static void look(const struct takt_machine *m, struct dma_channel *c, uint64_t when)
{
    bool asks = fifo_requests(m, dma_treq(c));
    if (asks && !c->asks)
        dma_begin(c, when);
    c->asks = asks;
}

void dma_look(struct takt_machine *m)
{
    struct dma *d = &m->soc->dma;
    for (uint32_t left = d->busy; left != 0; left &= left - 1) {
        struct dma_channel *c = &d->channel[__builtin_ctz(left)];
        if (by_fifo(dma_treq(c)))
            look(m, c, event_time(m));
    }
    if (d->busy != 0)
        dma_arm(m);
}

bool dma_paced_by(const struct takt_machine *m, uint32_t treq)
{
    const struct dma *d = &m->soc->dma;
    for (uint32_t left = d->busy; left != 0; left &= left - 1) {
        if (dma_treq(&d->channel[__builtin_ctz(left)]) == treq)
            return true;
    }
    return false;
}

/* Those of a timer from before the trigger are no later than it. */
static void pulse(struct dma_channel *c, uint64_t when)
{
    bool timer = by_timer(dma_treq(c));
    if (timer && when <= c->ready)
        return;
    if (c->pulses == 0)
        not_before(c, timer ? when : when + DMA_START);
    c->pulses += c->pulses < PULSES_MAX;
}

void dma_pulse(struct takt_machine *m, uint32_t treq, uint64_t when)
{
    struct dma *d = &m->soc->dma;
    for (uint32_t left = d->busy; left != 0; left &= left - 1) {
        struct dma_channel *c = &d->channel[__builtin_ctz(left)];
        if (dma_treq(c) == treq)
            pulse(c, when);
    }
    dma_arm(m);
}

/* The first after `when`. */
static uint64_t next_pulse(const struct dma_timer *t, uint64_t when)
{
    uint64_t x = t->ratio >> 16, y = t->ratio & 0xffff;
    if (x == 0 || y == 0)
        return TAKT_NEVER;
    if (x > y)
        return when + 1;
    uint64_t gone = when > t->from ? (when - t->from) * x / y : 0;
    return t->from + ((gone + 1) * y + x - 1) / x;
}

void dma_arm_timers(struct takt_machine *m, uint64_t when)
{
    uint64_t at = TAKT_NEVER;
    for (uint32_t n = 0; n < DMA_TIMERS; n++) {
        uint64_t next = next_pulse(&m->soc->dma.timer[n], when);
        if (dma_paced_by(m, TREQ_TIMER + n) && next < at)
            at = next;
    }
    event_set(m, EV_DMA_TIMER, at);
}

void dma_timer_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    (void)id;
    for (uint32_t n = 0; n < DMA_TIMERS; n++) {
        if (next_pulse(&m->soc->dma.timer[n], when - 1) == when)
            dma_pulse(m, TREQ_TIMER + n, when);
    }
    dma_arm_timers(m, when);
}

/* The channel has been started, or has got another request. */
void dma_request_begin(struct takt_machine *m, struct dma_channel *c, uint64_t when)
{
    uint32_t treq = dma_treq(c);
    if (treq < TREQ_XIP && !by_fifo(treq))
        pwm_refresh(m); /* wraps of before have been, too */
    c->asks = false;
    c->pulses = 0;
    dma_begin(c, when);
    if (by_fifo(treq))
        look(m, c, when);
    else if (by_timer(treq))
        dma_arm_timers(m, when);
    else if (treq >= TREQ_XIP && treq != TREQ_ALWAYS)
        report_note(m, "DMA: a request that is not modelled paces a channel: it does not move");
}
