/*
 * DMA, by the names of the pico's SDK: twelve channels, which move data beside the CPU.
 *
 * Which channels and timers are taken is kept for all loops (drivers/rp2040/claims.c); a channel's
 * registers are its owner's. Transfers take nothing of a loop's budget, and what they take of the
 * bus is not in the proof: at most a cycle of the CPU's for each. What waits here keeps the loop
 * busy, on its budget. The sniffer is not offered.
 */
#ifndef TAKT_HARDWARE_DMA_H
#define TAKT_HARDWARE_DMA_H

#include <hardware/irq.h>
#include <hardware/regs/dreq.h>
#include <hardware/structs/dma.h>
#include <hardware/sync.h>

enum dma_channel_transfer_size { DMA_SIZE_8 = 0, DMA_SIZE_16 = 1, DMA_SIZE_32 = 2 };
typedef enum dma_channel_transfer_size dma_channel_transfer_size_t;

typedef struct {
    uint32_t ctrl;
} dma_channel_config;

#ifdef __cplusplus
extern "C" {
#endif

/* A channel or a timer is one program's; what is required and not there ends the
 * program, -1: none. Thread or main. */
void dma_channel_claim(uint channel);
void dma_claim_mask(uint32_t channels);
void dma_channel_unclaim(uint channel);
void dma_unclaim_mask(uint32_t channels);
int dma_claim_unused_channel(bool required);
bool dma_channel_is_claimed(uint channel);
void dma_timer_claim(uint timer);
void dma_timer_unclaim(uint timer);
int dma_claim_unused_timer(bool required);
bool dma_timer_is_claimed(uint timer);

#ifdef __cplusplus
}
#endif

static inline dma_channel_hw_t *dma_channel_hw_addr(uint channel)
{
    return &dma_hw->ch[channel];
}

/* Configurations */

static inline void takt_dma_field_(dma_channel_config *c, uint32_t bits, uint low, uint32_t value)
{
    c->ctrl = (c->ctrl & ~bits) | (value << low & bits);
}

static inline void channel_config_set_read_increment(dma_channel_config *c, bool on)
{
    takt_dma_field_(c, DMA_CH0_CTRL_TRIG_INCR_READ_BITS, DMA_CH0_CTRL_TRIG_INCR_READ_LSB, on);
}

static inline void channel_config_set_write_increment(dma_channel_config *c, bool on)
{
    takt_dma_field_(c, DMA_CH0_CTRL_TRIG_INCR_WRITE_BITS, DMA_CH0_CTRL_TRIG_INCR_WRITE_LSB, on);
}

static inline void channel_config_set_dreq(dma_channel_config *c, uint dreq)
{
    takt_dma_field_(c, DMA_CH0_CTRL_TRIG_TREQ_SEL_BITS, DMA_CH0_CTRL_TRIG_TREQ_SEL_LSB, dreq);
}

static inline void channel_config_set_chain_to(dma_channel_config *c, uint channel)
{
    takt_dma_field_(c, DMA_CH0_CTRL_TRIG_CHAIN_TO_BITS, DMA_CH0_CTRL_TRIG_CHAIN_TO_LSB, channel);
}

static inline void channel_config_set_transfer_data_size(dma_channel_config *c,
                                                         enum dma_channel_transfer_size size)
{
    takt_dma_field_(c, DMA_CH0_CTRL_TRIG_DATA_SIZE_BITS, DMA_CH0_CTRL_TRIG_DATA_SIZE_LSB,
                    (uint32_t)size);
}

/* write: of which address; the low bits that change, 0: all. */
static inline void channel_config_set_ring(dma_channel_config *c, bool write, uint bits)
{
    takt_dma_field_(c, DMA_CH0_CTRL_TRIG_RING_SEL_BITS, DMA_CH0_CTRL_TRIG_RING_SEL_LSB, write);
    takt_dma_field_(c, DMA_CH0_CTRL_TRIG_RING_SIZE_BITS, DMA_CH0_CTRL_TRIG_RING_SIZE_LSB, bits);
}

static inline void channel_config_set_bswap(dma_channel_config *c, bool on)
{
    takt_dma_field_(c, DMA_CH0_CTRL_TRIG_BSWAP_BITS, DMA_CH0_CTRL_TRIG_BSWAP_LSB, on);
}

static inline void channel_config_set_irq_quiet(dma_channel_config *c, bool on)
{
    takt_dma_field_(c, DMA_CH0_CTRL_TRIG_IRQ_QUIET_BITS, DMA_CH0_CTRL_TRIG_IRQ_QUIET_LSB, on);
}

static inline void channel_config_set_high_priority(dma_channel_config *c, bool on)
{
    takt_dma_field_(c, DMA_CH0_CTRL_TRIG_HIGH_PRIORITY_BITS, DMA_CH0_CTRL_TRIG_HIGH_PRIORITY_LSB,
                    on);
}

static inline void channel_config_set_enable(dma_channel_config *c, bool on)
{
    takt_dma_field_(c, DMA_CH0_CTRL_TRIG_EN_BITS, DMA_CH0_CTRL_TRIG_EN_LSB, on);
}

static inline uint32_t channel_config_get_ctrl_value(const dma_channel_config *c)
{
    return c->ctrl;
}

/* Words from one address after the other to one address, as fast as it goes. */
static inline dma_channel_config dma_channel_get_default_config(uint channel)
{
    dma_channel_config c = {DMA_CH0_CTRL_TRIG_EN_BITS | DMA_CH0_CTRL_TRIG_INCR_READ_BITS};
    channel_config_set_transfer_data_size(&c, DMA_SIZE_32);
    channel_config_set_dreq(&c, DREQ_FORCE);
    channel_config_set_chain_to(&c, channel);
    return c;
}

static inline dma_channel_config dma_get_channel_config(uint channel)
{
    dma_channel_config c = {dma_channel_hw_addr(channel)->ctrl_trig};
    return c;
}

/* Channels. What the program has written to memory is there before a channel starts. */

static inline void dma_channel_set_config(uint channel, const dma_channel_config *c, bool trigger)
{
    __compiler_memory_barrier();
    if (trigger)
        dma_channel_hw_addr(channel)->ctrl_trig = c->ctrl;
    else
        dma_channel_hw_addr(channel)->al1_ctrl = c->ctrl;
}

static inline void dma_channel_set_read_addr(uint channel, const volatile void *from, bool trigger)
{
    __compiler_memory_barrier();
    if (trigger)
        dma_channel_hw_addr(channel)->al3_read_addr_trig = (uintptr_t)from;
    else
        dma_channel_hw_addr(channel)->read_addr = (uintptr_t)from;
}

static inline void dma_channel_set_write_addr(uint channel, volatile void *to, bool trigger)
{
    __compiler_memory_barrier();
    if (trigger)
        dma_channel_hw_addr(channel)->al2_write_addr_trig = (uintptr_t)to;
    else
        dma_channel_hw_addr(channel)->write_addr = (uintptr_t)to;
}

static inline void dma_channel_set_trans_count(uint channel, uint32_t count, bool trigger)
{
    __compiler_memory_barrier();
    if (trigger)
        dma_channel_hw_addr(channel)->al1_transfer_count_trig = count;
    else
        dma_channel_hw_addr(channel)->transfer_count = count;
}

static inline void dma_channel_configure(uint channel, const dma_channel_config *c,
                                         volatile void *to, const volatile void *from,
                                         uint32_t count, bool trigger)
{
    dma_channel_set_read_addr(channel, from, false);
    dma_channel_set_write_addr(channel, to, false);
    dma_channel_set_trans_count(channel, count, false);
    dma_channel_set_config(channel, c, trigger);
}

static inline void dma_channel_transfer_from_buffer_now(uint channel, const volatile void *from,
                                                        uint32_t count)
{
    dma_channel_set_read_addr(channel, from, false);
    dma_channel_set_trans_count(channel, count, true);
}

static inline void dma_channel_transfer_to_buffer_now(uint channel, volatile void *to,
                                                      uint32_t count)
{
    dma_channel_set_write_addr(channel, to, false);
    dma_channel_set_trans_count(channel, count, true);
}

static inline void dma_start_channel_mask(uint32_t channels)
{
    __compiler_memory_barrier();
    dma_hw->multi_channel_trigger = channels;
}

static inline void dma_channel_start(uint channel)
{
    dma_start_channel_mask(1u << channel);
}

static inline bool dma_channel_is_busy(uint channel)
{
    return (dma_channel_hw_addr(channel)->al1_ctrl & DMA_CH0_CTRL_TRIG_BUSY_BITS) != 0;
}

static inline void dma_channel_wait_for_finish_blocking(uint channel)
{
    while (dma_channel_is_busy(channel)) {
    }
    __compiler_memory_barrier();
}

static inline void dma_channel_abort(uint channel)
{
    dma_hw->abort = 1u << channel;
    while ((dma_hw->abort & 1u << channel) != 0) {
    }
    __compiler_memory_barrier();
}

/* Interrupts: lines 0 and 1, handlers as hardware/irq.h has them. */

static inline int dma_get_irq_num(uint line)
{
    return DMA_IRQ_0 + (int)line;
}

static inline io_rw_32 *takt_dma_line_(uint line, io_rw_32 *of_line_0)
{
    return of_line_0 + 4u * line;
}

static inline void dma_irqn_set_channel_mask_enabled(uint line, uint32_t channels, bool on)
{
    io_rw_32 *enables = takt_dma_line_(line, &dma_hw->inte0);
    if (on)
        hw_set_bits(enables, channels);
    else
        hw_clear_bits(enables, channels);
}

static inline void dma_irqn_set_channel_enabled(uint line, uint channel, bool on)
{
    dma_irqn_set_channel_mask_enabled(line, 1u << channel, on);
}

static inline bool dma_irqn_get_channel_status(uint line, uint channel)
{
    return (*takt_dma_line_(line, &dma_hw->ints0) & 1u << channel) != 0;
}

static inline void dma_irqn_acknowledge_channel(uint line, uint channel)
{
    *takt_dma_line_(line, &dma_hw->ints0) = 1u << channel;
}

static inline void dma_set_irq0_channel_mask_enabled(uint32_t channels, bool on)
{
    dma_irqn_set_channel_mask_enabled(0, channels, on);
}

static inline void dma_set_irq1_channel_mask_enabled(uint32_t channels, bool on)
{
    dma_irqn_set_channel_mask_enabled(1, channels, on);
}

static inline void dma_channel_set_irq0_enabled(uint channel, bool on)
{
    dma_irqn_set_channel_enabled(0, channel, on);
}

static inline void dma_channel_set_irq1_enabled(uint channel, bool on)
{
    dma_irqn_set_channel_enabled(1, channel, on);
}

static inline bool dma_channel_get_irq0_status(uint channel)
{
    return dma_irqn_get_channel_status(0, channel);
}

static inline bool dma_channel_get_irq1_status(uint channel)
{
    return dma_irqn_get_channel_status(1, channel);
}

static inline void dma_channel_acknowledge_irq0(uint channel)
{
    dma_irqn_acknowledge_channel(0, channel);
}

static inline void dma_channel_acknowledge_irq1(uint channel)
{
    dma_irqn_acknowledge_channel(1, channel);
}

/* Ends what it does, and tells of nothing any more. */
static inline void dma_channel_cleanup(uint channel)
{
    dma_irqn_set_channel_enabled(0, channel, false);
    dma_irqn_set_channel_enabled(1, channel, false);
    dma_channel_hw_addr(channel)->al1_ctrl = channel << DMA_CH0_CTRL_TRIG_CHAIN_TO_LSB; /* off */
    dma_channel_abort(channel);
    dma_hw->intr = 1u << channel;
}

/* Timers: the clock times numerator / denominator, 1 at most. */

static inline void dma_timer_set_fraction(uint timer, uint16_t numerator, uint16_t denominator)
{
    dma_hw->timer[timer] = (uint32_t)numerator << 16 | denominator;
}

static inline uint dma_get_timer_dreq(uint timer)
{
    return DREQ_DMA_TIMER0 + timer;
}

#endif
