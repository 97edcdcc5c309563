/*
 * UART: two PL011. Frames take their time at the programmed baud rate in both directions. Bytes
 * leave and enter only through a pin whose function is UART; the line levels are not drawn.
 *
 * The transmit interrupt follows the PL011 rule: raised when the FIFO falls through its trigger
 * level, not while it lies below.
 */
#include <string.h>

#include "rp2040.h"

enum { INT_RX = 1u << 4, INT_TX = 1u << 5, INT_RT = 1u << 6, INT_OE = 1u << 10 };
enum { LCR_PEN = 2, LCR_STP2 = 8, LCR_FEN = 16 };
enum { DMA_RX = 1, DMA_TX = 2 };
enum { CR_EN = 1, CR_LBE = 0x80, CR_TXE = 0x100, CR_RXE = 0x200 };

static const uint32_t tx_pins[2] = {1u | 1u << 12 | 1u << 16 | 1u << 28,
                                    1u << 4 | 1u << 8 | 1u << 20 | 1u << 24};

static struct uart *uart_of(struct takt_machine *m, unsigned port)
{
    return &m->soc->uart[port];
}

static uint32_t depth(const struct uart *u)
{
    return (u->lcr & LCR_FEN) != 0 ? UART_FIFO : 1;
}

static uint32_t trigger(uint32_t select)
{
    static const uint8_t level[8] = {4, 8, 16, 24, 28, 28, 28, 28};
    return level[select & 7];
}

/* Cycles of `bits` bits: divider is in 1/64 of 16 periods of clk_peri. 0: no baud rate. */
static uint64_t bits_cycles(const struct takt_machine *m, const struct uart *u, uint32_t bits)
{
    uint64_t peri = m->soc->clocks.peri_hz;
    if (u->divider < 64 || peri == 0)
        return 0;
    return ((uint64_t)u->divider * bits * chip_hz(m) + 2 * peri) / (4 * peri);
}

static uint64_t frame_cycles(const struct takt_machine *m, const struct uart *u)
{
    uint32_t data = 5 + (u->lcr >> 5 & 3), parity = (u->lcr & LCR_PEN) != 0;
    return bits_cycles(m, u, 1 + data + parity + ((u->lcr & LCR_STP2) != 0 ? 2 : 1));
}

static void update_irq(struct takt_machine *m, unsigned port)
{
    const struct uart *u = uart_of(m, port);
    irq_line(m, IRQ_UART0 + port, (u->ris & u->imsc) != 0);
    dma_look(m);
}

/* By single bytes, as long as there is room or data (PL011 TRM 2.5). */
bool uart_requests(const struct takt_machine *m, unsigned port, bool rx)
{
    const struct uart *u = &m->soc->uart[port];
    if ((u->cr & CR_EN) == 0)
        return false;
    return rx ? (u->dmacr & DMA_RX) != 0 && u->rx_count > 0
              : (u->dmacr & DMA_TX) != 0 && u->tx_count < depth(u);
}

static void shift_next(struct takt_machine *m, unsigned port, uint64_t when)
{
    struct uart *u = uart_of(m, port);
    bool on = (u->cr & CR_EN) != 0 && (u->cr & CR_TXE) != 0;
    uint64_t frame = frame_cycles(m, u);
    if (u->shifting || u->tx_count == 0 || !on || frame == 0)
        return;
    u->shift = u->tx[u->tx_head];
    u->tx_head = (u->tx_head + 1) % UART_FIFO;
    u->tx_count--;
    u->shifting = true;
    uint32_t level = (u->lcr & LCR_FEN) != 0 ? trigger(u->ifls) : 0;
    if (u->tx_count == level)
        u->ris |= INT_TX;
    event_set(m, EV_UART0_TX + port, when + frame);
    update_irq(m, port);
}

void uart_tx_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    unsigned port = id - EV_UART0_TX;
    struct uart *u = uart_of(m, port);
    u->shifting = false;
    if (gpio_routed(m, tx_pins[port], FUNC_UART))
        serial_sent(m, port, u->shift, when);
    else
        report_note(m, port == 0 ? "UART0 sends, but no pin has its TX function"
                                 : "UART1 sends, but no pin has its TX function");
    shift_next(m, port, when);
}

/* Receiving takes a frame's time a byte. */
void uart_waits(struct takt_machine *m, uint32_t port, uint64_t when)
{
    struct serial *s = &m->serial[port];
    uint64_t frame = frame_cycles(m, uart_of(m, port));
    if (s->receiving || s->count == 0)
        return;
    s->receiving = true;
    event_set(m, EV_UART0_RX + port, when + (frame != 0 ? frame : chip_hz(m) / 11520));
}

static void receive(struct takt_machine *m, unsigned port, uint8_t byte, uint64_t when)
{
    struct uart *u = uart_of(m, port);
    uint64_t timeout = bits_cycles(m, u, 32);
    if (u->rx_count == depth(u)) {
        u->ris |= INT_OE;
        u->rsr |= 8;
        u->rx[(u->rx_head + u->rx_count - 1) % UART_FIFO] |= 0x800;
    } else {
        u->rx[(u->rx_head + u->rx_count++) % UART_FIFO] = byte;
    }
    if (u->rx_count >= ((u->lcr & LCR_FEN) != 0 ? trigger(u->ifls >> 3) : 1))
        u->ris |= INT_RX;
    if (timeout != 0)
        event_set(m, EV_UART0_TIMEOUT + port, when + timeout);
    update_irq(m, port);
}

void uart_rx_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    unsigned port = id - EV_UART0_RX;
    struct uart *u = uart_of(m, port);
    uint8_t byte = serial_arrived(m, port);
    bool on = (u->cr & CR_EN) != 0 && (u->cr & CR_RXE) != 0 && frame_cycles(m, u) != 0 &&
              (m->soc->reset >> (22 + port) & 1) == 0;
    if (on && gpio_routed(m, tx_pins[port] << 1, FUNC_UART))
        receive(m, port, byte, when);
    else
        report_note(m, port == 0 ? "UART0 was sent a byte while not receiving"
                                 : "UART1 was sent a byte while not receiving");
    uart_waits(m, port, when);
}

void uart_timeout_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    unsigned port = id - EV_UART0_TIMEOUT;
    struct uart *u = uart_of(m, port);
    (void)when;
    if (u->rx_count > 0)
        u->ris |= INT_RT;
    update_irq(m, port);
}

static uint32_t read_data(struct takt_machine *m, unsigned port)
{
    struct uart *u = uart_of(m, port);
    if (u->rx_count == 0)
        return 0;
    uint32_t value = u->rx[u->rx_head];
    u->rx_head = (u->rx_head + 1) % UART_FIFO;
    u->rx_count--;
    if (u->rx_count < ((u->lcr & LCR_FEN) != 0 ? trigger(u->ifls >> 3) : 1))
        u->ris &= ~(uint32_t)INT_RX;
    if (u->rx_count == 0)
        u->ris &= ~(uint32_t)INT_RT;
    update_irq(m, port);
    return value;
}

static void write_data(struct takt_machine *m, unsigned port, uint32_t value)
{
    struct uart *u = uart_of(m, port);
    if (u->tx_count == depth(u)) {
        report_note(m, "UART data written while its FIFO is full: lost");
        return;
    }
    u->tx[(u->tx_head + u->tx_count++) % UART_FIFO] = (uint8_t)value;
    if ((u->lcr & LCR_FEN) == 0 || u->tx_count > trigger(u->ifls))
        u->ris &= ~(uint32_t)INT_TX;
    update_irq(m, port);
    shift_next(m, port, m->now);
}

static uint32_t flags(const struct uart *u)
{
    return (uint32_t)(u->tx_count == 0) << 7 | (uint32_t)(u->rx_count == depth(u)) << 6 |
           (uint32_t)(u->tx_count == depth(u)) << 5 | (uint32_t)(u->rx_count == 0) << 4 |
           (uint32_t)(u->shifting || u->tx_count != 0) << 3;
}

static uint32_t identity(uint32_t offset)
{
    static const uint8_t id[8] = {0x11, 0x10, 0x34, 0x00, 0x0d, 0xf0, 0x05, 0xb1};
    return id[(offset - 0xfe0) / 4];
}

static uint32_t uart_read(struct takt_machine *m, unsigned port, uint32_t offset)
{
    struct uart *u = uart_of(m, port);
    const uint32_t *plain[19] = {
        [1] = &u->rsr, [8] = &u->ilpr,  [9] = &u->ibrd,  [10] = &u->fbrd, [11] = &u->lcr,
        [12] = &u->cr, [13] = &u->ifls, [14] = &u->imsc, [15] = &u->ris,  [18] = &u->dmacr,
    };
    if (offset == 0x00)
        return read_data(m, port);
    if (offset == 0x18)
        return flags(u);
    if (offset == 0x40)
        return u->ris & u->imsc;
    if (offset <= 0x48 && plain[offset / 4] != NULL)
        return *plain[offset / 4];
    if (offset >= 0xfe0)
        return identity(offset);
    report_access(m, port == 0 ? "UART0" : "UART1", 0x40034000u + port * 0x4000 + offset, offset,
                  false, 0);
    return 0;
}

/* A change of FEN empties nothing but forgets what no longer fits. */
static void write_lcr(struct uart *u, uint32_t value)
{
    u->lcr = value & 0xff;
    u->divider = u->ibrd * 64 + u->fbrd;
    if (u->tx_count > depth(u))
        u->tx_count = depth(u);
    if (u->rx_count > depth(u))
        u->rx_count = depth(u);
}

/* PL011 TRM 3.3.7: neither while it is on nor before the frames of then are over. */
static void check_quiet(struct takt_machine *m, unsigned port)
{
    const struct uart *u = uart_of(m, port);
    if ((u->cr & CR_EN) != 0)
        report_note(m, "UART: the baud rate or format is written while it is on");
    else if (u->shifting || m->now < u->quiet)
        report_note(m, "UART: the baud rate or format is written before the last frame is over");
}

static void write_control(struct takt_machine *m, unsigned port, uint32_t value)
{
    struct uart *u = uart_of(m, port);
    if ((u->cr & ~value & CR_EN) != 0)
        u->quiet = m->serial[port].receiving ? m->event_at[EV_UART0_RX + port] : m->now;
    u->cr = value & 0xff87;
    if ((value & (CR_LBE | 0xc006)) != 0)
        report_access(m, "UART (loopback, IrDA, flow control)", 0x40034030u + port * 0x4000, 0x30,
                      true, value);
    shift_next(m, port, m->now);
}

static void write_interrupts(struct takt_machine *m, unsigned port, uint32_t offset, uint32_t value)
{
    struct uart *u = uart_of(m, port);
    if (offset == 0x38)
        u->imsc = value & 0x7ff;
    else
        u->ris &= ~value;
    update_irq(m, port);
}

static void uart_write(struct takt_machine *m, unsigned port, uint32_t offset, uint32_t value)
{
    struct uart *u = uart_of(m, port);
    if (offset >= 0x24 && offset <= 0x2c)
        check_quiet(m, port);
    if (offset == 0x00)
        write_data(m, port, value);
    else if (offset == 0x04)
        u->rsr = 0;
    else if (offset == 0x24)
        u->ibrd = value & 0xffff;
    else if (offset == 0x28)
        u->fbrd = value & 0x3f;
    else if (offset == 0x2c)
        write_lcr(u, value);
    else if (offset == 0x30)
        write_control(m, port, value);
    else if (offset == 0x34)
        u->ifls = value & 0x3f;
    else if (offset == 0x38 || offset == 0x44)
        write_interrupts(m, port, offset, value);
    else if (offset == 0x48)
        u->dmacr = value & 7;
    else
        report_access(m, port == 0 ? "UART0" : "UART1", 0x40034000u + port * 0x4000 + offset,
                      offset, true, value);
    dma_look(m);
}

static void uart_reset(struct takt_machine *m, unsigned port)
{
    *uart_of(m, port) = (struct uart){.cr = 0x300, .ifls = 0x12};
    event_set(m, EV_UART0_TX + port, TAKT_NEVER);
    event_set(m, EV_UART0_TIMEOUT + port, TAKT_NEVER);
    update_irq(m, port);
}

#define UART(name, port)                                                                           \
    static void name##_reset(struct takt_machine *m)                                               \
    {                                                                                              \
        uart_reset(m, port);                                                                       \
    }                                                                                              \
    static uint32_t name##_read(struct takt_machine *m, uint32_t offset)                           \
    {                                                                                              \
        return uart_read(m, port, offset);                                                         \
    }                                                                                              \
    static void name##_write(struct takt_machine *m, uint32_t offset, uint32_t value)              \
    {                                                                                              \
        uart_write(m, port, offset, value);                                                        \
    }

UART(uart0, 0)
UART(uart1, 1)

const struct device uart0_device = {"UART0", 0x40034000, 22, uart0_read, uart0_write, uart0_reset};
const struct device uart1_device = {"UART1", 0x40038000, 23, uart1_read, uart1_write, uart1_reset};
