/* PIO: the registers of a state machine, and its FIFOs as the CPU sees them. */
#include <string.h>

#include "rp2040.h"

enum {
    CLKDIV = 0x00,
    EXECCTRL = 0x04,
    SHIFTCTRL = 0x08,
    ADDR = 0x0c,
    INSTR = 0x10,
    PINCTRL = 0x14,
};

static void fifos_join(struct pio_sm *s)
{
    bool rx = (s->shiftctrl & SHIFT_JOIN_RX) != 0, tx = (s->shiftctrl & SHIFT_JOIN_TX) != 0;
    s->tx = (struct pio_fifo){.depth = rx ? 0 : tx ? 2 * PIO_FIFO : PIO_FIFO};
    s->rx = (struct pio_fifo){.depth = tx ? 0 : rx ? 2 * PIO_FIFO : PIO_FIFO};
}

void pio_sm_reset(const struct takt_machine *m, struct pio_sm *s)
{
    *s = (struct pio_sm){.clkdiv = 1u << 16,
                         .execctrl = 31u << 12,
                         .shiftctrl = SHIFT_OUT_RIGHT | SHIFT_IN_RIGHT,
                         .pinctrl = 5u << 26,
                         .osr_count = 32,
                         .anchor = (m->now + 1) << 8,
                         .next = TAKT_NEVER};
    fifos_join(s);
}

/* 3.7 SM_RESTART: what no register holds. */
static void restart(struct pio_sm *s)
{
    s->isr = s->isr_count = 0;
    s->osr_count = 32;
    s->has_written = s->has_latched = s->forced = s->begun = s->told = false;
    memset(s->sticky, 0, sizeof s->sticky);
}

void pio_write_ctrl(struct takt_machine *m, struct pio *p, uint32_t value)
{
    for (unsigned k = 0; k < PIO_MACHINES; k++) {
        struct pio_sm *s = &p->sm[k];
        bool again = (value >> (4 + k) & 1) != 0;
        uint64_t delay = again ? 0 : pio_hold(m, s);
        if (again)
            restart(s);
        if ((value >> (8 + k) & 1) != 0)
            s->anchor = (m->now + 1) << 8;
        s->enabled = (value >> k & 1) != 0;
        pio_go_on(m, s, delay);
    }
    pio_look(m, p);
}

uint32_t pio_read_fifo(struct takt_machine *m, struct pio *p, unsigned k)
{
    struct pio_sm *s = &p->sm[k];
    if (s->rx.count == 0) {
        p->fdebug |= 1u << (DEBUG_RXUNDER + k);
        return 0;
    }
    uint32_t word = pio_pull(&s->rx);
    if (s->waits == PIO_RX)
        pio_wake(m, s);
    pio_update_irqs(m, p);
    return word;
}

void pio_write_fifo(struct takt_machine *m, struct pio *p, unsigned k, uint32_t value)
{
    struct pio_sm *s = &p->sm[k];
    if (s->tx.count == s->tx.depth) {
        p->fdebug |= 1u << (DEBUG_TXOVER + k);
        return;
    }
    pio_push(&s->tx, value);
    if (s->waits == PIO_TX || (s->shiftctrl & SHIFT_AUTOPULL) != 0)
        pio_wake(m, s);
}

uint32_t pio_sm_read(const struct pio *p, unsigned k, uint32_t offset)
{
    const struct pio_sm *s = &p->sm[k];
    switch (offset) {
    case CLKDIV:
        return s->clkdiv;
    case EXECCTRL:
        return s->execctrl | (s->has_latched && s->forced ? EXEC_STALLED : 0);
    case SHIFTCTRL:
        return s->shiftctrl;
    case ADDR:
        return s->pc;
    case INSTR:
        return s->has_latched ? s->latched : p->memory[s->pc];
    }
    return s->pinctrl;
}

static void write_shiftctrl(struct pio_sm *s, uint32_t value)
{
    uint32_t changed = (s->shiftctrl ^ value) & (SHIFT_JOIN_RX | SHIFT_JOIN_TX);
    s->shiftctrl = value & 0xffff0000u;
    if (changed != 0)
        fifos_join(s);
}

void pio_sm_write(struct takt_machine *m, struct pio *p, unsigned k, uint32_t offset,
                  uint32_t value)
{
    struct pio_sm *s = &p->sm[k];
    if (offset == CLKDIV) {
        pio_divider_set(m, s, value & 0xffffff00u);
    } else if (offset == EXECCTRL) {
        s->execctrl = value & 0x7fffff9fu;
    } else if (offset == SHIFTCTRL) {
        write_shiftctrl(s, value);
    } else if (offset == INSTR) {
        s->written = value & 0xffff;
        s->has_written = true;
    } else if (offset == PINCTRL) {
        s->pinctrl = value;
    }
    pio_wake(m, s);
}
