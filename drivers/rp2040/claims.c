/*
 * Which DMA channels, DMA timers and spin locks are taken: a bit for each, taken and given back by
 * any loop. The rest of hardware/dma.h and hardware/sync.h is in the headers.
 */
#include <hardware/dma.h>
#include <takt/port.h>

#include "rp2040.h"

static volatile uint32_t channels, timers, locks;

/* All of them or none. */
static bool take(volatile uint32_t *set, uint32_t bits)
{
    port_irq_t irq = port_irq_save();
    bool free = (*set & bits) == 0;
    if (free)
        *set |= bits;
    port_irq_restore(irq);
    return free;
}

static void give(volatile uint32_t *set, uint32_t bits)
{
    port_irq_t irq = port_irq_save();
    *set &= ~bits;
    port_irq_restore(irq);
}

static int take_one(volatile uint32_t *set, uint count)
{
    for (uint n = 0; n < count; n++) {
        if (take(set, 1u << n))
            return (int)n;
    }
    return -1;
}

void dma_claim_mask(uint32_t mask)
{
    rp2040_release(RP2040_RESET_DMA);
    if (!take(&channels, mask))
        panic("DMA: the channel is claimed already");
}

void dma_channel_claim(uint channel)
{
    dma_claim_mask(1u << channel);
}

void dma_unclaim_mask(uint32_t mask)
{
    give(&channels, mask);
}

void dma_channel_unclaim(uint channel)
{
    dma_unclaim_mask(1u << channel);
}

int dma_claim_unused_channel(bool required)
{
    rp2040_release(RP2040_RESET_DMA);
    int channel = take_one(&channels, NUM_DMA_CHANNELS);
    if (channel < 0 && required)
        panic("DMA: no channel is left");
    return channel;
}

bool dma_channel_is_claimed(uint channel)
{
    return (channels >> channel & 1u) != 0;
}

void dma_timer_claim(uint timer)
{
    if (!take(&timers, 1u << timer))
        panic("DMA: the timer is claimed already");
}

void dma_timer_unclaim(uint timer)
{
    give(&timers, 1u << timer);
}

int dma_claim_unused_timer(bool required)
{
    int timer = take_one(&timers, NUM_DMA_TIMERS);
    if (timer < 0 && required)
        panic("DMA: no timer is left");
    return timer;
}

bool dma_timer_is_claimed(uint timer)
{
    return (timers >> timer & 1u) != 0;
}

void spin_lock_claim(uint number)
{
    if (!take(&locks, 1u << number))
        panic("the spin lock is claimed already");
}

int spin_lock_claim_unused(bool required)
{
    int number = take_one(&locks, NUM_SPIN_LOCKS);
    if (number < 0 && required)
        panic("no spin lock is left");
    return number;
}

void spin_lock_unclaim(uint number)
{
    give(&locks, 1u << number);
}

bool spin_lock_is_claimed(uint number)
{
    return (locks >> number & 1u) != 0;
}
