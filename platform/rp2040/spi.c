/*
 * SPI: two PL022, as masters in Motorola format. Devices are called with whole words.
 *
 * A bit takes CPSR * (1 + SCR) periods of clk_peri. With SPH = 0 the chip select goes high for a
 * bit after each word, which makes words 1.5 bits longer; with SPH = 1 words follow one another
 * without a gap (PL022 TRM 2.4.7-2.4.10):
 *
 *                captured (received)   word ends      next word, when one waits
 *   SPH = 0      bits - 0.5            bits + 0.5     bits + 1.5
 *   SPH = 1      bits                  bits + 1       bits (no end between)
 */
#include <string.h>

#include "rp2040.h"

enum { INT_OVERRUN = 1, INT_TIMEOUT = 2, INT_RX = 4, INT_TX = 8 };
enum { CR0_POLARITY = 0x40, CR0_PHASE = 0x80 };
enum { CR1_LOOP = 1, CR1_ENABLE = 2, CR1_SLAVE = 4 };
enum { ROLE_RX, ROLE_SELECT, ROLE_CLOCK, ROLE_TX };

static struct spi *spi_of(struct takt_machine *m, unsigned n)
{
    return &m->soc->spi[n];
}

/* Pins that can have a role: SPI0 on 0-7 and 16-23, SPI1 on 8-15 and 24-29. */
static uint32_t pins_of(unsigned n, unsigned role)
{
    return 0x00110011u << (8 * n + role) & ((1u << PIN_COUNT) - 1);
}

static uint32_t bits_of(const struct spi *s)
{
    return (s->cr0 & 15) + 1;
}

static uint32_t mask_of(const struct spi *s)
{
    return (1u << bits_of(s)) - 1;
}

/* Cycles of half bits. 0: no clock. */
static uint64_t half_bits(const struct takt_machine *m, const struct spi *s, uint32_t halves)
{
    uint64_t peri = m->soc->clocks.peri_hz, divider = (uint64_t)s->cpsr * (1 + (s->cr0 >> 8));
    if (peri == 0)
        return 0;
    return (divider * halves * chip_hz(m) + peri) / (2 * peri);
}

static uint32_t raw(const struct spi *s)
{
    return s->latched | (s->rx_count >= SPI_FIFO / 2 ? INT_RX : 0u) |
           (s->tx_count <= SPI_FIFO / 2 ? INT_TX : 0u);
}

static void update_irq(struct takt_machine *m, unsigned n)
{
    const struct spi *s = spi_of(m, n);
    irq_line(m, IRQ_SPI0 + n, (raw(s) & s->imsc) != 0);
    dma_look(m);
}

/* Chip select and the idle level of the clock; bits are not drawn. */
static bool spi_level(const struct takt_machine *m, uint32_t pin)
{
    const struct spi *s = &m->soc->spi[pin >> 3 & 1];
    switch (pin & 3) {
    case ROLE_SELECT:
        return s->phase == SPI_IDLE || s->phase == SPI_GAP;
    case ROLE_CLOCK:
        return (s->cr0 & CR0_POLARITY) != 0;
    }
    return false;
}

/* Bit 0 level, bit 1 output enable. */
uint32_t spi_output(const struct takt_machine *m, uint32_t pin)
{
    return (pin & 3) == ROLE_RX ? 0 : 2u | spi_level(m, pin);
}

static void set_phase(struct takt_machine *m, unsigned n, enum spi_phase next, uint64_t at,
                      uint64_t when)
{
    struct spi *s = spi_of(m, n);
    bool was = s->phase == SPI_IDLE || s->phase == SPI_GAP;
    s->phase = next;
    event_set(m, EV_SPI0 + n, at);
    if (was != (next == SPI_IDLE || next == SPI_GAP) &&
        gpio_routed(m, pins_of(n, ROLE_SELECT), FUNC_SPI))
        gpio_outputs(m, when);
}

static void shift_next(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct spi *s = spi_of(m, n);
    uint32_t phase1 = (s->cr0 & CR0_PHASE) != 0;
    bool on = (s->cr1 & (CR1_ENABLE | CR1_SLAVE)) == CR1_ENABLE && s->cpsr != 0;
    if (!on || s->tx_count == 0 || half_bits(m, s, 1) == 0)
        return;
    s->word = s->tx[s->tx_head] & mask_of(s);
    s->tx_head = (s->tx_head + 1) % SPI_FIFO;
    s->tx_count--;
    s->began = when;
    set_phase(m, n, SPI_SHIFT, when + half_bits(m, s, 2 * bits_of(s) - 1 + phase1), when);
    update_irq(m, n);
}

/* The word that comes back; what nobody drives has the line's level. */
static uint32_t exchange(struct takt_machine *m, unsigned n)
{
    struct spi *s = spi_of(m, n);
    uint32_t rx = gpio_with_function(m, FUNC_SPI, pins_of(n, ROLE_RX));
    uint32_t idle = (gpio_inputs(m) & rx) != 0 ? mask_of(s) : 0;
    bool sends = gpio_routed(m, pins_of(n, ROLE_TX), FUNC_SPI);
    if (!gpio_routed(m, pins_of(n, ROLE_CLOCK), FUNC_SPI)) {
        report_note(m, n == 0 ? "SPI0 runs, but no pin has its SCK function"
                              : "SPI1 runs, but no pin has its SCK function");
        return idle;
    }
    uint32_t word = spi_exchange(m, n, sends ? s->word : 0, bits_of(s), idle);
    return rx != 0 ? word : idle;
}

static void receive(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct spi *s = spi_of(m, n);
    uint32_t word = (s->cr1 & CR1_LOOP) != 0 ? s->word : exchange(m, n);
    s->latched &= ~(uint32_t)INT_TIMEOUT;
    if (s->rx_count == SPI_FIFO)
        s->latched |= INT_OVERRUN;
    else
        s->rx[(s->rx_head + s->rx_count++) % SPI_FIFO] = (uint16_t)word;
    event_set(m, EV_SPI0_TIMEOUT + n, when + half_bits(m, s, 64));
    update_irq(m, n);
}

void spi_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    unsigned n = id - EV_SPI0;
    struct spi *s = spi_of(m, n);
    uint32_t bits = bits_of(s), phase1 = (s->cr0 & CR0_PHASE) != 0;
    if (s->phase == SPI_SHIFT) {
        set_phase(m, n, SPI_END, s->began + half_bits(m, s, 2 * bits + 1 + phase1), when);
        receive(m, n, when);
        if (phase1 != 0)
            shift_next(m, n, when);
    } else if (s->phase == SPI_END && phase1 == 0) {
        set_phase(m, n, SPI_GAP, s->began + half_bits(m, s, 2 * bits + 3), when);
    } else {
        set_phase(m, n, SPI_IDLE, TAKT_NEVER, when);
        shift_next(m, n, when);
    }
}

/* 32 bits after the last word received. */
void spi_timeout_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    unsigned n = id - EV_SPI0_TIMEOUT;
    struct spi *s = spi_of(m, n);
    (void)when;
    if (s->rx_count != 0)
        s->latched |= INT_TIMEOUT;
    update_irq(m, n);
}

static uint32_t read_data(struct takt_machine *m, unsigned n)
{
    struct spi *s = spi_of(m, n);
    if (s->rx_count == 0) {
        report_note(m, "an empty SPI FIFO was read");
        return 0;
    }
    uint32_t value = s->rx[s->rx_head];
    s->rx_head = (s->rx_head + 1) % SPI_FIFO;
    if (--s->rx_count == 0)
        s->latched &= ~(uint32_t)INT_TIMEOUT;
    update_irq(m, n);
    return value;
}

static void go_on(struct takt_machine *m, unsigned n)
{
    if (spi_of(m, n)->phase == SPI_IDLE)
        shift_next(m, n, m->now);
    update_irq(m, n);
}

static void write_data(struct takt_machine *m, unsigned n, uint32_t value)
{
    struct spi *s = spi_of(m, n);
    if (s->tx_count == SPI_FIFO)
        report_note(m, "a full SPI FIFO was written: lost");
    else
        s->tx[(s->tx_head + s->tx_count++) % SPI_FIFO] = (uint16_t)value;
    go_on(m, n);
}

static uint32_t status(const struct spi *s)
{
    bool shifting = s->phase == SPI_SHIFT || s->phase == SPI_END;
    return (s->tx_count == 0) | (s->tx_count < SPI_FIFO ? 2u : 0) | (s->rx_count != 0 ? 4u : 0) |
           (s->rx_count == SPI_FIFO ? 8u : 0) | (shifting || s->tx_count != 0 ? 0x10u : 0);
}

static void report(struct takt_machine *m, unsigned n, const char *what, uint32_t offset,
                   bool write, uint32_t value)
{
    report_access(m, what, 0x4003c000u + n * 0x4000 + offset, offset, write, value);
}

static uint32_t spi_read(struct takt_machine *m, unsigned n, uint32_t offset)
{
    static const uint8_t identity[8] = {0x22, 0x10, 0x34, 0x00, 0x0d, 0xf0, 0x05, 0xb1};
    const struct spi *s = spi_of(m, n);
    if (offset == 0x08)
        return read_data(m, n);
    const uint32_t value[10] = {s->cr0, s->cr1,           0, status(s), s->cpsr, s->imsc,
                                raw(s), raw(s) & s->imsc, 0, s->dmacr};
    if (offset <= 0x24)
        return value[offset / 4];
    if (offset >= 0xfe0)
        return identity[(offset - 0xfe0) / 4];
    report(m, n, n == 0 ? "SPI0" : "SPI1", offset, false, 0);
    return 0;
}

static void write_control(struct takt_machine *m, unsigned n, uint32_t offset, uint32_t value)
{
    struct spi *s = spi_of(m, n);
    bool odd = offset == 0 ? (value & 0x30) != 0 || (value & 15) < 3 : (value & 12) != 0;
    if (odd)
        report(m, n, "SPI (slave, TI or Microwire frames, under 4 bits)", offset, true, value);
    if (offset == 0)
        s->cr0 = value & 0xffff;
    else
        s->cr1 = value & 15;
    if (gpio_routed(m, pins_of(n, ROLE_CLOCK), FUNC_SPI))
        gpio_outputs(m, m->now);
    go_on(m, n);
}

static void spi_write(struct takt_machine *m, unsigned n, uint32_t offset, uint32_t value)
{
    struct spi *s = spi_of(m, n);
    if (offset <= 0x04) {
        write_control(m, n, offset, value);
    } else if (offset == 0x08) {
        write_data(m, n, value);
    } else if (offset == 0x10) {
        s->cpsr = value & 0xfe;
        go_on(m, n);
    } else if (offset == 0x14) {
        s->imsc = value & 15;
    } else if (offset == 0x20) {
        s->latched &= ~(value & (INT_OVERRUN | INT_TIMEOUT));
    } else if (offset == 0x24) {
        s->dmacr = value & 3;
    } else {
        report(m, n, n == 0 ? "SPI0" : "SPI1", offset, true, value);
    }
    update_irq(m, n);
}

static void spi_reset(struct takt_machine *m, unsigned n)
{
    *spi_of(m, n) = (struct spi){.phase = SPI_IDLE};
    event_set(m, EV_SPI0 + n, TAKT_NEVER);
    event_set(m, EV_SPI0_TIMEOUT + n, TAKT_NEVER);
    gpio_outputs(m, m->now);
    update_irq(m, n);
}

uint32_t spi_settings(struct takt_machine *m, uint32_t bus, uint32_t *mode, uint32_t *bits)
{
    const struct spi *s = spi_of(m, bus);
    uint32_t divider = s->cpsr * (1 + (s->cr0 >> 8));
    *mode = (s->cr0 >> 5 & 2) | (s->cr0 >> 7 & 1);
    *bits = bits_of(s);
    return divider != 0 ? m->soc->clocks.peri_hz / divider : 0;
}

#define SPI(name, n)                                                                               \
    static void name##_reset(struct takt_machine *m)                                               \
    {                                                                                              \
        spi_reset(m, n);                                                                           \
    }                                                                                              \
    static uint32_t name##_read(struct takt_machine *m, uint32_t offset)                           \
    {                                                                                              \
        return spi_read(m, n, offset);                                                             \
    }                                                                                              \
    static void name##_write(struct takt_machine *m, uint32_t offset, uint32_t value)              \
    {                                                                                              \
        spi_write(m, n, offset, value);                                                            \
    }

SPI(spi0, 0)
SPI(spi1, 1)

const struct device spi0_device = {"SPI0", 0x4003c000, 16, spi0_read, spi0_write, spi0_reset};
const struct device spi1_device = {"SPI1", 0x40040000, 17, spi1_read, spi1_write, spi1_reset};
