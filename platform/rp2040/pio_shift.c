/*
 * PIO: the shift registers and their FIFOs (datasheet 3.5.4).
 *
 *            autopull             OUT                 IN            autopush
 *   TX FIFO ---------> OSR, count ---> pins ... ---> ISR, count ---------> RX FIFO
 *
 * A register is empty (OSR) or full (ISR) from its threshold on.
 */
#include "rp2040.h"

static uint32_t threshold(uint32_t shiftctrl, unsigned low)
{
    return pio_count(pio_field(shiftctrl, low, 5));
}

bool pio_osr_empty(const struct pio_sm *s)
{
    return s->osr_count >= threshold(s->shiftctrl, 25);
}

static void osr_load(struct pio_sm *s)
{
    s->osr = pio_pull(&s->tx);
    s->osr_count = 0;
}

/* Autopull beside whatever the machine does. */
void pio_refill(struct pio_sm *s)
{
    if ((s->shiftctrl & SHIFT_AUTOPULL) != 0 && pio_osr_empty(s) && s->tx.count > 0)
        osr_load(s);
}

static enum pio_wait stalled(struct pio *p, const struct pio_sm *s, enum pio_wait waits)
{
    unsigned number = (unsigned)(s - p->sm);
    p->fdebug |= 1u << (number + (waits == PIO_TX ? DEBUG_TXSTALL : DEBUG_RXSTALL));
    return waits;
}

enum pio_wait pio_in(struct pio *p, struct pio_sm *s, uint32_t source, uint32_t bits)
{
    uint32_t data = source & pio_mask(bits);
    uint32_t count = s->isr_count + bits < 32 ? s->isr_count + bits : 32, isr = data;
    bool push = (s->shiftctrl & SHIFT_AUTOPUSH) != 0 && count >= threshold(s->shiftctrl, 20);
    if (push && s->rx.count >= s->rx.depth)
        return stalled(p, s, PIO_RX);
    if (bits < 32)
        isr = (s->shiftctrl & SHIFT_IN_RIGHT) != 0 ? s->isr >> bits | data << (32 - bits)
                                                   : s->isr << bits | data;
    if (push)
        pio_push(&s->rx, isr);
    s->isr = push ? 0 : isr;
    s->isr_count = push ? 0 : count;
    return PIO_GOES;
}

/* With autopull an empty OSR takes a cycle to be filled. */
enum pio_wait pio_shift_out(struct pio *p, struct pio_sm *s, uint32_t bits, uint32_t *data)
{
    if ((s->shiftctrl & SHIFT_AUTOPULL) != 0 && pio_osr_empty(s)) {
        if (s->tx.count == 0)
            return stalled(p, s, PIO_TX);
        osr_load(s);
        return PIO_REFILL;
    }
    bool right = (s->shiftctrl & SHIFT_OUT_RIGHT) != 0;
    *data = right ? s->osr & pio_mask(bits) : s->osr >> (32 - bits);
    s->osr = bits == 32 ? 0 : right ? s->osr >> bits : s->osr << bits;
    s->osr_count = s->osr_count + bits < 32 ? s->osr_count + bits : 32;
    return PIO_GOES;
}

enum pio_wait pio_push_isr(struct pio *p, struct pio_sm *s, bool if_full, bool block)
{
    if (if_full && s->isr_count < threshold(s->shiftctrl, 20))
        return PIO_GOES;
    if (s->rx.count >= s->rx.depth) {
        (void)stalled(p, s, PIO_RX);
        if (block)
            return PIO_RX;
    } else {
        pio_push(&s->rx, s->isr);
    }
    s->isr = s->isr_count = 0;
    return PIO_GOES;
}

/* With autopull a PULL of what is full already does nothing. */
enum pio_wait pio_pull_osr(struct pio *p, struct pio_sm *s, bool if_empty, bool block)
{
    if ((if_empty || (s->shiftctrl & SHIFT_AUTOPULL) != 0) && !pio_osr_empty(s))
        return PIO_GOES;
    if (s->tx.count == 0 && block)
        return stalled(p, s, PIO_TX);
    if (s->tx.count > 0) {
        osr_load(s);
    } else {
        s->osr = s->x;
        s->osr_count = 0;
    }
    return PIO_GOES;
}
