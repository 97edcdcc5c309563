/*
 * The PL011 of the RP2040 (data sheet 4.2): FIFOs of 32 bytes either way.
 *
 * The interrupt of sending is raised by the FIFO falling through its trigger level, 4. It is
 * unmasked while serial.c still holds bytes, and then a whole burst, more than 4, has gone into
 * the FIFO: the level will fall through the trigger, or has and the interrupt stands.
 */
#include <gpio/chip_gpio.h>
#include <takt/uart.h>

#include "pl011.h"

enum {
    DR_OVERRUN = 1u << 11,
    DR_GARBLED = 7u << 8, /* framing, parity, break */
    FR_RX_EMPTY = 1u << 4,
    INT_TX = 1u << 5,
    LCR_PARITY = 1u << 1,
    LCR_EVEN = 1u << 2,
    LCR_TWO_STOP = 1u << 3,
    LCR_FIFO = 1u << 4,
    LCR_BITS_SHIFT = 5,
    CR_TX = 1u << 8,
    CR_RX = 1u << 9,
};

static const struct {
    uint8_t tx, rx;
} pins[UART_PORTS] = {{0, 1}, {4, 5}};

static inline struct rp2040_uart *at(uint8_t port)
{
    return port == 0 ? RP2040_UART0 : RP2040_UART1;
}

/* The divisor in 64ths: clock / (16 * baud), rounded. */
static uint32_t divisor64(uint32_t baud)
{
    return (8u * RP2040_SYS_HZ / baud + 1u) / 2u;
}

bool uart_hw_possible(const struct uart_frame *f)
{
    return f->baud != 0 && f->baud <= RP2040_SYS_HZ / 16u && divisor64(f->baud) >> 6 <= 0xFFFFu &&
           f->data_bits >= 5 && f->data_bits <= 8 && f->parity <= TAKT_PARITY_EVEN &&
           f->stop_bits >= 1 && f->stop_bits <= 2;
}

static uint32_t line_control(const struct uart_frame *f)
{
    uint32_t lcr = LCR_FIFO | (uint32_t)(f->data_bits - 5u) << LCR_BITS_SHIFT;
    if (f->parity != TAKT_PARITY_NONE)
        lcr |= LCR_PARITY;
    if (f->parity == TAKT_PARITY_EVEN)
        lcr |= LCR_EVEN;
    if (f->stop_bits == 2)
        lcr |= LCR_TWO_STOP;
    return lcr;
}

void pl011_start(uint8_t port, const struct uart_frame *frame)
{
    struct rp2040_uart *hw = at(port);
    uint32_t block = port == 0 ? RP2040_RESET_UART0 : RP2040_RESET_UART1;
    uint32_t divisor = divisor64(frame->baud);

    RP2040_SET(RP2040_RESETS->reset) = block;
    rp2040_release(block);
    hw->ibrd = divisor >> 6;
    hw->fbrd = divisor & 0x3Fu;
    hw->lcr_h = line_control(frame); /* also latches the divisor */
    hw->ifls = 0;                    /* interrupt at 4 received, 4 left to send */
    hw->cr = PL011_CR_ENABLE | CR_TX | CR_RX;

    (void)chip_gpio_mode(pins[port].rx, TAKT_GPIO_INPUT_PULLUP); /* an open line is silent */
    (void)chip_gpio_mode(pins[port].tx, TAKT_GPIO_INPUT_PULLUP);
    rp2040_pin_function(pins[port].rx, RP2040_FUNCTION_UART);
    rp2040_pin_function(pins[port].tx, RP2040_FUNCTION_UART);
}

void uart_hw_stop(uint8_t port)
{
    at(port)->imsc = 0;
    at(port)->cr = 0;
    (void)chip_gpio_mode(pins[port].tx, TAKT_GPIO_INPUT);
    (void)chip_gpio_mode(pins[port].rx, TAKT_GPIO_INPUT);
}

void uart_hw_send(uint8_t port, struct byte_ring *from, unsigned most)
{
    struct rp2040_uart *hw = at(port);
    const uint8_t *cell = from->cell;
    uint32_t mask = from->mask, tail = from->tail, held = ring_held(from);
    for (uint32_t end = tail + (most < held ? most : held); tail != end; tail++) {
        if (hw->fr & PL011_FR_TX_FULL)
            break;
        hw->dr = cell[tail & mask];
    }
    from->tail = (uint16_t)tail;
}

bool uart_hw_can_send(uint8_t port)
{
    return !(at(port)->fr & PL011_FR_TX_FULL);
}

bool uart_hw_busy(uint8_t port)
{
    return at(port)->fr & PL011_FR_BUSY;
}

void uart_hw_tell_sent(uint8_t port, bool tell)
{
    if (tell)
        RP2040_SET(at(port)->imsc) = INT_TX;
    else
        RP2040_CLR(at(port)->imsc) = INT_TX;
}

uint16_t uart_hw_receive(uint8_t port, struct byte_ring *to)
{
    struct rp2040_uart *hw = at(port);
    uint16_t lost = 0;
    while (!(hw->fr & FR_RX_EMPTY)) {
        uint32_t word = hw->dr;
        if (word & DR_OVERRUN) /* this byte is good, one after it was dropped */
            lost++;
        if ((word & DR_GARBLED) || ring_free(to) == 0)
            lost++;
        else
            ring_put(to, (uint8_t)word);
    }
    return lost;
}
