/*
 * The SPI controller of the RP2040, a PL022 (data sheet 4.4): FIFOs of eight frames either way. It
 * receives a frame for each it sends, and no more are sent than there is room for.
 */
#include "bus.h"

enum {
    CR0_POLARITY_SHIFT = 6, /* and phase in the bit above */
    CR0_RATE_SHIFT = 8,
    CR1_ENABLE = 1u << 1,
    SR_RECEIVED = 1u << 2,
    SR_BUSY = 1u << 4,
    INT_IDLE = 1u << 1, /* something received, and nothing more for 32 bits */
    INT_HALF = 1u << 2,
    DEPTH = 8,
    BURST = 4, /* frames taken per call, for interrupts are off meanwhile */
};

void spi_fifo_reset(struct spi_bus *bus)
{
    spi_chip_stop(&bus->chip);
    rp2040_release(bus->chip.reset);
}

bool spi_fifo_possible(const struct takt_spi_settings *s)
{
    bool order = !s->lsb_first || s->bits == 8 || s->bits == 16;
    return s->hz >= TAKT_SPI_HZ_MIN && s->mode < 4 && s->bits >= 4 && s->bits <= 16 && order;
}

/* The clock is divided by an even number, 2..254, and then by 1..256. */
uint32_t spi_fifo_plan(struct spi_transfer *t)
{
    const struct takt_spi_settings *s = &t->settings;
    uint32_t total = (RP2040_SYS_HZ + s->hz - 1u) / s->hz;
    uint32_t even = total <= 512u ? 2 : 6; /* enough for TAKT_SPI_HZ_MIN */
    uint32_t rate = (total + even - 1u) / even;
    uint32_t format = (s->mode >> 1 | (s->mode & 1u) << 1) << CR0_POLARITY_SHIFT;
    t->cr1 = (uint16_t)even;
    t->cr0 = (uint16_t)((rate - 1u) << CR0_RATE_SHIFT | format | (s->bits - 1u));
    return even * rate * s->bits * (1000000000u / RP2040_SYS_HZ);
}

void spi_fifo_set(struct spi_bus *bus)
{
    struct rp2040_spi *hw = bus->chip.hw;
    const struct spi_transfer *t = spi_current(bus);
    hw->cr1 = 0;
    hw->cpsr = t->cr1;
    hw->cr0 = t->cr0;
    hw->cr1 = CR1_ENABLE;
}

/* Two copies of the byte, spread so that masks pick each bit once, at its place or eight above; the
 * product adds up what belongs together (Rich Schroeppel, HAKMEM 167, in 32 bits). */
static uint32_t reversed8(uint32_t byte)
{
    return (((byte * 0x0802u & 0x22110u) | (byte * 0x8020u & 0x88440u)) * 0x10101u >> 16) & 0xFFu;
}

static uint32_t reversed(uint32_t word, unsigned bits)
{
    uint32_t low = reversed8(word & 0xFFu);
    return bits == 8 ? low : low << 8 | reversed8(word >> 8);
}

static uint32_t frame_out(const struct spi_transfer *t)
{
    uint32_t word = 0;
    if (t->out == NULL)
        return 0;
    if (t->settings.bits <= 8)
        word = ((const uint8_t *)t->out)[t->sent];
    else
        word = ((const uint16_t *)t->out)[t->sent];
    return t->settings.lsb_first ? reversed(word, t->settings.bits) : word;
}

static void frame_in(struct spi_transfer *t, uint32_t word)
{
    if (t->in == NULL)
        return;
    if (t->settings.lsb_first)
        word = reversed(word, t->settings.bits);
    if (t->settings.bits <= 8)
        ((uint8_t *)t->in)[t->received] = (uint8_t)word;
    else
        ((uint16_t *)t->in)[t->received] = (uint16_t)word;
}

bool spi_fifo_move(struct spi_bus *bus)
{
    struct rp2040_spi *hw = bus->chip.hw;
    struct spi_transfer *t = spi_current(bus);
    for (unsigned most = BURST; most > 0 && (hw->sr & SR_RECEIVED); most--) {
        frame_in(t, hw->dr);
        t->received++;
    }
    while (t->sent < t->n && t->sent - t->received < DEPTH) {
        hw->dr = frame_out(t);
        t->sent++;
    }
    if (t->received < t->n)
        return false;
    while (hw->sr & SR_BUSY) { /* the second half of the last bit: 5 us at most */
    }
    return true;
}

void spi_fifo_tell(struct spi_bus *bus, bool tell)
{
    bus->chip.hw->icr = 3;
    bus->chip.hw->imsc = tell ? INT_HALF | INT_IDLE : 0;
}

void isr_spi0(void)
{
    spi_serve(0, RP2040_IRQ_SPI0);
}

void isr_spi1(void)
{
    spi_serve(1, RP2040_IRQ_SPI1);
}
