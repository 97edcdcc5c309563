/*
 * SPI1 and 2, as masters in Motorola format: 4-16 bits a word, FIFOs of four bytes with packing
 * (a halfword access moves two words of up to 8 bits), NSS by software or low while SPE is set.
 * Words follow one another without a gap; a word is received at the end of its last bit.
 */
#include "stm32f0.h"

enum { CR1_CPHA = 1, CR1_CPOL = 2, CR1_MSTR = 4, CR1_SPE = 0x40, CR1_LSB = 0x80 };
enum { CR1_SSI = 0x100, CR1_SSM = 0x200, CR1_ODD = 0xfc00 };
enum { CR2_SSOE = 4, CR2_ERRIE = 0x20, CR2_RXNEIE = 0x40, CR2_TXEIE = 0x80, CR2_FRXTH = 0x1000 };
enum { CR2_MODELLED = 0x1fe4 };
enum { SR_RXNE = 1, SR_TXE = 2, SR_MODF = 0x20, SR_OVR = 0x40, SR_BSY = 0x80 };

static struct spi *spi_of(struct takt_machine *m, unsigned n)
{
    return &m->f0->spi[n];
}

static uint32_t bits_of(const struct spi *s)
{
    uint32_t size = s->cr2 >> 8 & 15;
    return size < 3 ? 8 : size + 1;
}

static uint32_t bytes_of(const struct spi *s)
{
    return bits_of(s) > 8 ? 2 : 1;
}

static struct function pin_of(unsigned n, uint8_t role)
{
    return (struct function){FN_SPI, (uint8_t)n, role};
}

static bool routed(const struct takt_machine *m, unsigned n, uint8_t role)
{
    return function_pins(m, pin_of(n, role)).pins != 0;
}

static uint32_t status(const struct spi *s)
{
    uint32_t rx = s->rx_count < 4 ? s->rx_count : 3, tx = s->tx_count < 3 ? s->tx_count : 3;
    bool ready = s->rx_count >= ((s->cr2 & CR2_FRXTH) != 0 ? 1 : 2);
    return s->sr | (ready ? (uint32_t)SR_RXNE : 0) | (s->tx_count <= 2 ? (uint32_t)SR_TXE : 0) |
           (s->shifting || s->tx_count != 0 ? (uint32_t)SR_BSY : 0) | rx << 9 | tx << 11;
}

static void update_irq(struct takt_machine *m, unsigned n)
{
    const struct spi *s = spi_of(m, n);
    uint32_t now = status(s);
    irq_line(m, IRQ_SPI1 + n,
             ((s->cr2 & CR2_RXNEIE) != 0 && (now & SR_RXNE) != 0) ||
                 ((s->cr2 & CR2_TXEIE) != 0 && (now & SR_TXE) != 0) ||
                 ((s->cr2 & CR2_ERRIE) != 0 && (now & (SR_OVR | SR_MODF)) != 0));
}

static uint32_t take(uint8_t *fifo, uint32_t *count, uint32_t bytes)
{
    uint32_t value = fifo[0] | (bytes > 1 ? (uint32_t)fifo[1] << 8 : 0);
    *count -= bytes;
    for (uint32_t k = 0; k < *count; k++)
        fifo[k] = fifo[k + bytes];
    return value;
}

static void put(uint8_t *fifo, uint32_t *count, uint32_t bytes, uint32_t value)
{
    for (uint32_t k = 0; k < bytes; k++)
        fifo[(*count)++] = (uint8_t)(value >> 8 * k);
}

static uint32_t reversed(uint32_t value, uint32_t bits)
{
    uint32_t turned = 0;
    for (uint32_t k = 0; k < bits; k++)
        turned |= (value >> k & 1) << (bits - 1 - k);
    return turned;
}

static void shift_next(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct spi *s = spi_of(m, n);
    uint32_t on = CR1_SPE | CR1_MSTR, bits = bits_of(s);
    if (s->shifting || (s->cr1 & on) != on || s->tx_count < bytes_of(s))
        return;
    s->word = take(s->tx, &s->tx_count, bytes_of(s)) & ((1u << bits) - 1);
    s->shifting = true;
    uint64_t bit = (uint64_t)m->f0->rcc.pclk_div * (2u << (s->cr1 >> 3 & 7));
    event_set(m, EV_SPI + n, when + bit * bits);
}

/* What nobody drives has the line's level. */
static uint32_t exchange(struct takt_machine *m, unsigned n)
{
    struct spi *s = spi_of(m, n);
    uint32_t bits = bits_of(s), mask = (1u << bits) - 1;
    bool reads = routed(m, n, SPI_MISO), lsb = (s->cr1 & CR1_LSB) != 0;
    uint32_t idle = reads && function_level(m, pin_of(n, SPI_MISO)) ? mask : 0;
    if (!routed(m, n, SPI_SCK)) {
        report_note(m, n == 0 ? "SPI1 runs, but no pin has its SCK function"
                              : "SPI2 runs, but no pin has its SCK function");
        return idle;
    }
    uint32_t sent = lsb ? reversed(s->word & mask, bits) : s->word & mask;
    uint32_t word = spi_exchange(m, n, routed(m, n, SPI_MOSI) ? sent : 0, bits, idle);
    word = reads ? word : idle;
    return lsb ? reversed(word, bits) : word;
}

void f0_spi_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    unsigned n = id - EV_SPI;
    struct spi *s = spi_of(m, n);
    uint32_t word = exchange(m, n);
    s->shifting = false;
    if (s->rx_count + bytes_of(s) > sizeof s->rx)
        s->sr |= SR_OVR;
    else
        put(s->rx, &s->rx_count, bytes_of(s), word);
    shift_next(m, n, when);
    update_irq(m, n);
}

uint32_t f0_spi_output(const struct takt_machine *m, struct function f)
{
    const struct spi *s = &m->f0->spi[f.unit];
    bool on = (s->cr1 & CR1_SPE) != 0, select = f.role == SPI_NSS;
    bool hardware = (s->cr1 & CR1_SSM) == 0 && (s->cr2 & CR2_SSOE) != 0;
    if (f.role == SPI_MISO || (s->cr1 & CR1_MSTR) == 0 || (select && (!hardware || !on)))
        return 0;
    return 2u | (f.role == SPI_SCK && (s->cr1 & CR1_CPOL) != 0);
}

/* How many bytes an access to DR moves. */
static uint32_t access_bytes(const struct takt_machine *m, const struct spi *s)
{
    return m->bus_size == 1 ? bytes_of(s) : 2;
}

static uint32_t read_data(struct takt_machine *m, unsigned n)
{
    struct spi *s = spi_of(m, n);
    uint32_t bytes = access_bytes(m, s);
    bytes = bytes < s->rx_count ? bytes : s->rx_count;
    if (bytes == 0)
        return 0;
    s->sr &= ~(uint32_t)SR_OVR;
    return take(s->rx, &s->rx_count, bytes);
}

static void write_data(struct takt_machine *m, unsigned n, uint32_t value)
{
    struct spi *s = spi_of(m, n);
    uint32_t bytes = access_bytes(m, s);
    if (s->tx_count + bytes > sizeof s->tx) {
        report_note(m, "SPI data written while its FIFO is full: lost");
        return;
    }
    put(s->tx, &s->tx_count, bytes, value);
    shift_next(m, n, m->now);
}

static void report(struct takt_machine *m, unsigned n, const char *what, uint32_t offset,
                   bool write, uint32_t value)
{
    const struct device *d = &f0_spi_devices[n];
    report_device(m, what != NULL ? what : d->name, d->base, offset, write, value);
}

static uint32_t spi_read(struct takt_machine *m, unsigned n, uint32_t offset)
{
    struct spi *s = spi_of(m, n);
    uint32_t value = 0;
    if (offset == 0x0c)
        value = read_data(m, n);
    else if (offset <= 0x08)
        value = offset == 0 ? s->cr1 : offset == 4 ? s->cr2 : status(s);
    else if (offset == 0x10)
        value = 7; /* CRC polynomial */
    else
        report(m, n, NULL, offset, false, 0);
    update_irq(m, n);
    return value;
}

/* A master whose NSS is low by software has lost: no longer master. */
static void check_mode(struct spi *s)
{
    if ((s->cr1 & (CR1_MSTR | CR1_SSM | CR1_SSI)) == (CR1_MSTR | CR1_SSM)) {
        s->sr |= SR_MODF;
        s->cr1 &= ~(uint32_t)(CR1_MSTR | CR1_SPE);
    }
}

static void write_control(struct takt_machine *m, unsigned n, uint32_t offset, uint32_t value)
{
    struct spi *s = spi_of(m, n);
    bool odd = offset == 0 ? (value & CR1_ODD) != 0 : (value & ~(uint32_t)CR2_MODELLED) != 0;
    bool slave = offset == 0 && (value & (CR1_SPE | CR1_MSTR)) == CR1_SPE;
    if (odd || slave)
        report(m, n, "SPI (slave, one line, CRC, TI frames, NSS pulses, DMA)", offset, true, value);
    if (offset == 0) {
        s->sr &= ~(uint32_t)SR_MODF;
        s->cr1 = value & 0xffff;
        check_mode(s);
    } else {
        s->cr2 = value & 0x7fff;
    }
    if ((s->cr1 & CR1_SPE) == 0) {
        s->tx_count = 0;
        s->shifting = false;
        event_set(m, EV_SPI + n, TAKT_NEVER);
    }
    port_outputs(m, m->now);
    shift_next(m, n, m->now);
}

static void spi_write(struct takt_machine *m, unsigned n, uint32_t offset, uint32_t value)
{
    if (offset <= 0x04)
        write_control(m, n, offset, value);
    else if (offset == 0x0c)
        write_data(m, n, value);
    else
        report(m, n, NULL, offset, true, value);
    update_irq(m, n);
}

static void spi_reset(struct takt_machine *m, unsigned n)
{
    *spi_of(m, n) = (struct spi){.cr2 = 0x700};
    event_set(m, EV_SPI + n, TAKT_NEVER);
    port_outputs(m, m->now);
    update_irq(m, n);
}

uint32_t f0_spi_settings(struct takt_machine *m, uint32_t bus, uint32_t *mode, uint32_t *bits)
{
    const struct spi *s = spi_of(m, bus);
    *mode = (s->cr1 & CR1_CPOL) | (s->cr1 & CR1_CPHA);
    *bits = bits_of(s);
    return rcc_clocked(m, &f0_spi_devices[bus]) ? m->f0->rcc.pclk_hz / (2u << (s->cr1 >> 3 & 7))
                                                : 0;
}

#define SPI(lower, n)                                                                              \
    static uint32_t lower##_read(struct takt_machine *m, uint32_t offset)                          \
    {                                                                                              \
        return spi_read(m, n, offset);                                                             \
    }                                                                                              \
    static void lower##_write(struct takt_machine *m, uint32_t offset, uint32_t value)             \
    {                                                                                              \
        spi_write(m, n, offset, value);                                                            \
    }                                                                                              \
    static void lower##_reset(struct takt_machine *m)                                              \
    {                                                                                              \
        spi_reset(m, n);                                                                           \
    }

SPI(spi1, 0)
SPI(spi2, 1)

const struct device f0_spi_devices[2] = {
    {"SPI1", 0x40013000, ON_APB2, 12, spi1_read, spi1_write, spi1_reset},
    {"SPI2", 0x40003800, ON_APB1, 14, spi2_read, spi2_write, spi2_reset},
};
