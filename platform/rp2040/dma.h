/*
 * DMA: twelve channels, which move data beside the CPU (datasheet 2.5).
 *
 *   trigger, request       DMA_START cycles later, or when its turn comes
 *   -----------------> asks ---------------> read and write ---> ends: interrupt, next channel
 *                       ^                          |
 *                       `------ data left ---------'
 *
 * In a cycle one channel's data are read and written, by two accesses; the next cycle is another's,
 * or one behind as many as the slower of the two accesses takes.
 */
#ifndef TAKT_RP2040_DMA_H
#define TAKT_RP2040_DMA_H

#include <stdbool.h>
#include <stdint.h>

#define DMA_CHANNELS 12u
#define DMA_TIMERS   4u
#define DMA_START    4u /* cycles from a trigger or a request to its data in place */

/* CTRL */
#define DMA_EN          (1u << 0)
#define DMA_HIGH        (1u << 1)
#define DMA_INCR_READ   (1u << 4)
#define DMA_INCR_WRITE  (1u << 5)
#define DMA_RING_WRITE  (1u << 10)
#define DMA_TREQ        (63u << 15)
#define DMA_QUIET       (1u << 21)
#define DMA_BSWAP       (1u << 22)
#define DMA_SNIFF       (1u << 23)
#define DMA_BUSY        (1u << 24)
#define DMA_WRITE_ERROR (1u << 29)
#define DMA_READ_ERROR  (1u << 30)
#define DMA_AHB_ERROR   (1u << 31)

/* Requests (2.5.3.1): of FIFOs, of events, of the DMA's own timers. */
enum {
    TREQ_PIO0_TX = 0, /* four, then four of RX; then the same of PIO1 */
    TREQ_SPI0_TX = 16,
    TREQ_UART0_TX = 20,
    TREQ_PWM = 24,
    TREQ_I2C0_TX = 32,
    TREQ_ADC = 36,
    TREQ_XIP = 37, /* from here on none is modelled, */
    TREQ_TIMER = 59,
    TREQ_ALWAYS = 63,
};

struct dma_channel {
    uint32_t read, write, count, reload, ctrl; /* count: transfers left; ctrl: without BUSY */
    bool asks;       /* a FIFO's request is up */
    uint32_t pulses; /* requests of an event or a timer, not yet answered */
    uint64_t ready;  /* from when on it may move */
};

/* X and Y as in the register; `from`: where pulses' data are counted from, cycles. */
struct dma_timer {
    uint32_t ratio;
    uint64_t from;
};

struct dma {
    struct dma_channel channel[DMA_CHANNELS];
    struct dma_timer timer[DMA_TIMERS];
    uint32_t intr, inte[2], intf[2];
    uint32_t busy;        /* channels */
    uint64_t free;        /* of the bus: the first cycle */
    uint32_t served;      /* channels of high priority in this round */
    uint32_t last[2];     /* channels chosen: of the others, of high priority */
};

struct device;
struct takt_machine;

extern const struct device dma_device;

/* dma.c */
void dma_trigger(struct takt_machine *m, unsigned n, uint64_t when);
void dma_end(struct takt_machine *m, unsigned n, uint64_t when);
void dma_update_irqs(struct takt_machine *m);
bool dma_can_interrupt(const struct takt_machine *m);
/* dma_request.c: a FIFO's level may have changed; an event happens */
void dma_look(struct takt_machine *m);
void dma_pulse(struct takt_machine *m, uint32_t treq, uint64_t when);
bool dma_paced_by(const struct takt_machine *m, uint32_t treq);
void dma_begin(struct dma_channel *c, uint64_t when); /* nothing is under way yet */
void dma_request_begin(struct takt_machine *m, struct dma_channel *c, uint64_t when);
uint32_t dma_wanted(const struct dma *d, uint64_t when); /* channels that may move then */
void dma_arm_timers(struct takt_machine *m, uint64_t when);
void dma_timer_event(struct takt_machine *m, unsigned id, uint64_t when);
/* dma_move.c */
void dma_arm(struct takt_machine *m);
void dma_event(struct takt_machine *m, unsigned id, uint64_t when);

static inline uint32_t dma_treq(const struct dma_channel *c)
{
    return c->ctrl >> 15 & 63;
}

#endif
