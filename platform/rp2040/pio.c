/* PIO: the registers of a block, interrupts. */
#include <string.h>

#include "rp2040.h"

#define INTERRUPTS 0xfffu

enum {
    CTRL = 0x00,
    FSTAT = 0x04,
    FDEBUG = 0x08,
    FLEVEL = 0x0c,
    TXF = 0x10,
    RXF = 0x20,
    IRQ = 0x30,
    IRQ_FORCE = 0x34,
    BYPASS = 0x38,
    PADOUT = 0x3c,
    PADOE = 0x40,
    CFGINFO = 0x44,
    MEMORY = 0x48,
    SM = 0xc8,
    SM_STRIDE = 0x18,
    INTR = 0x128,
    INTE = 0x12c, /* then INTF, INTS; and again for the other line */
    END = 0x144,
};

static struct pio *pio_of(struct takt_machine *m, unsigned n)
{
    return &m->soc->pio[n];
}

static void report(struct takt_machine *m, unsigned n, uint32_t offset, bool write, uint32_t value)
{
    report_access(m, n == 0 ? "PIO0" : "PIO1", 0x50200000u + n * 0x100000u + offset, offset, write,
                  value);
}

/* Flags 0 to 3, then by machine: TX not full, RX not empty. */
static uint32_t raw(const struct pio *p)
{
    uint32_t set = (p->irq & 15) << 8;
    for (unsigned k = 0; k < PIO_MACHINES; k++) {
        const struct pio_sm *s = &p->sm[k];
        set |= (uint32_t)(s->tx.count < s->tx.depth) << (4 + k) | (uint32_t)(s->rx.count > 0) << k;
    }
    return set;
}

void pio_update_irqs(struct takt_machine *m, struct pio *p)
{
    unsigned first = IRQ_PIO0_0 + 2 * (unsigned)(p - m->soc->pio);
    for (unsigned line = 0; line < 2; line++)
        irq_line(m, first + line, ((raw(p) & p->inte[line]) | p->intf[line]) != 0);
    dma_look(m);
}

static void pio_reset(struct takt_machine *m, unsigned n)
{
    struct pio *p = pio_of(m, n);
    memset(p, 0, sizeof *p);
    for (unsigned k = 0; k < PIO_MACHINES; k++)
        pio_sm_reset(m, &p->sm[k]);
    pio_arm(m, p);
    pio_update_irqs(m, p);
    gpio_outputs(m, m->now);
}

static uint32_t read_fstat(const struct pio *p)
{
    uint32_t set = 0;
    for (unsigned k = 0; k < PIO_MACHINES; k++) {
        const struct pio_sm *s = &p->sm[k];
        uint32_t rx = (uint32_t)(s->rx.count == s->rx.depth) | (uint32_t)(s->rx.count == 0) << 8;
        uint32_t tx = (uint32_t)(s->tx.count == s->tx.depth) | (uint32_t)(s->tx.count == 0) << 8;
        set |= (rx | tx << 16) << k;
    }
    return set;
}

static uint32_t read_flevel(const struct pio *p)
{
    uint32_t levels = 0;
    for (unsigned k = 0; k < PIO_MACHINES; k++)
        levels |= (p->sm[k].tx.count | p->sm[k].rx.count << 4) << 8 * k;
    return levels;
}

/* A machine that still waits sets its flag again. */
static void write_fdebug(struct takt_machine *m, struct pio *p, uint32_t value)
{
    p->fdebug &= ~value;
    pio_wake_waiting(m, p, PIO_TX);
    pio_wake_waiting(m, p, PIO_RX);
}

static uint32_t interrupt_read(const struct pio *p, uint32_t offset)
{
    if (offset == INTR)
        return raw(p);
    unsigned line = (offset - INTE) / 12, what = (offset - INTE) % 12 / 4;
    return what == 0   ? p->inte[line]
           : what == 1 ? p->intf[line]
                       : (raw(p) & p->inte[line]) | p->intf[line];
}

static void write_flags(struct takt_machine *m, struct pio *p, uint32_t flags)
{
    p->irq = flags & 0xff;
    pio_wake_waiting(m, p, PIO_IRQ);
}

static uint32_t pio_read(struct takt_machine *m, unsigned n, uint32_t offset)
{
    struct pio *p = pio_of(m, n);
    if (offset >= RXF && offset < IRQ)
        return pio_read_fifo(m, p, (offset - RXF) / 4);
    if (offset >= SM && offset < INTR)
        return pio_sm_read(p, (offset - SM) / SM_STRIDE, (offset - SM) % SM_STRIDE);
    if (offset >= INTR && offset < END)
        return interrupt_read(p, offset);
    switch (offset) {
    case CTRL:
        return p->sm[0].enabled | p->sm[1].enabled << 1 | p->sm[2].enabled << 2 |
               p->sm[3].enabled << 3;
    case FSTAT:
        return read_fstat(p);
    case FDEBUG:
        return p->fdebug;
    case FLEVEL:
        return read_flevel(p);
    case IRQ:
        return p->irq;
    case IRQ_FORCE:
        return 0;
    case BYPASS:
        return p->bypass;
    case PADOUT:
    case PADOE:
        return p->pad[offset == PADOE];
    case CFGINFO:
        return 32u << 16 | PIO_MACHINES << 8 | PIO_FIFO;
    }
    report(m, n, offset, false, 0);
    return 0;
}

static void memory_write(struct takt_machine *m, struct pio *p, uint32_t at, uint32_t value)
{
    p->memory[at] = (uint16_t)value;
    for (unsigned k = 0; k < PIO_MACHINES; k++)
        pio_wake(m, &p->sm[k]);
    pio_look(m, p);
}

static void interrupt_write(struct takt_machine *m, unsigned n, uint32_t offset, uint32_t value)
{
    struct pio *p = pio_of(m, n);
    unsigned line = (offset - INTE) / 12, what = (offset - INTE) % 12 / 4;
    if (offset < INTE || offset >= END || what == 2)
        report(m, n, offset, true, value);
    else
        *(what == 0 ? &p->inte[line] : &p->intf[line]) = value & INTERRUPTS;
}

static void pio_write(struct takt_machine *m, unsigned n, uint32_t offset, uint32_t value)
{
    struct pio *p = pio_of(m, n);
    if (offset >= TXF && offset < RXF)
        pio_write_fifo(m, p, (offset - TXF) / 4, value);
    else if (offset >= MEMORY && offset < SM)
        memory_write(m, p, (offset - MEMORY) / 4, value);
    else if (offset >= SM && offset < INTR)
        pio_sm_write(m, p, (offset - SM) / SM_STRIDE, (offset - SM) % SM_STRIDE, value);
    else if (offset == CTRL)
        pio_write_ctrl(m, p, value);
    else if (offset == FDEBUG)
        write_fdebug(m, p, value);
    else if (offset == IRQ)
        write_flags(m, p, p->irq & ~value);
    else if (offset == IRQ_FORCE)
        write_flags(m, p, p->irq | value);
    else if (offset == BYPASS)
        p->bypass = value;
    else
        interrupt_write(m, n, offset, value);
    pio_arm(m, p);
    pio_update_irqs(m, p);
}

#define PIO(n)                                                                                     \
    static void pio##n##_reset(struct takt_machine *m)                                             \
    {                                                                                              \
        pio_reset(m, n);                                                                           \
    }                                                                                              \
    static uint32_t pio##n##_read(struct takt_machine *m, uint32_t offset)                         \
    {                                                                                              \
        return pio_read(m, n, offset);                                                             \
    }                                                                                              \
    static void pio##n##_write(struct takt_machine *m, uint32_t offset, uint32_t value)            \
    {                                                                                              \
        pio_write(m, n, offset, value);                                                            \
    }

PIO(0)
PIO(1)

const struct device pio0_device = {"PIO0", 0x50200000, 10, pio0_read, pio0_write, pio0_reset};
const struct device pio1_device = {"PIO1", 0x50300000, 11, pio1_read, pio1_write, pio1_reset};
