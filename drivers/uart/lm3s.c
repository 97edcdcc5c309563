/*
 * UARTs of an LM3S (data sheet 12): PL011 with FIFOs of 16 bytes either way.
 *
 * The interrupt of sending is raised by the FIFO falling through its trigger level, 2. It is
 * unmasked while serial.c still holds bytes, and then a whole burst, more than 2, has gone into the
 * FIFO: the level will fall through the trigger, or has and the interrupt stands.
 */
#include <takt/uart.h>

#include "../lm3s/lm3s.h"
#include "hardware.h"

enum {
    DR_OVERRUN = 1 << 11,
    DR_GARBLED = 7 << 8, /* framing, parity, break */
    FR_RX_EMPTY = 1 << 4,
    INT_TX = 1 << 5,
    LCR_PARITY = 1 << 1,
    LCR_EVEN = 1 << 2,
    LCR_TWO_STOP = 1 << 3,
    LCR_FIFO = 1 << 4,
    LCR_BITS_SHIFT = 5,
    CTL_TX = 1 << 8,
    CTL_RX = 1 << 9,
};

static const struct {
    uint8_t tx, rx;
} pins[] = {{1, 0}, {22, 21}}; /* PA1, PA0; PD3, PD2 */

/* The divisor in 64ths: clock / (16 * baud), rounded. */
static uint32_t divisor64(uint32_t baud)
{
    return (8u * LM3S_HZ / baud + 1u) / 2u;
}

bool uart_hw_possible(const struct uart_frame *f)
{
    return f->baud != 0 && f->baud <= LM3S_HZ / 16u && divisor64(f->baud) >> 6 <= 0xFFFFu &&
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

void lm3s_uart_start(uint8_t port, const struct uart_frame *frame)
{
    struct lm3s_uart *hw = LM3S_UART(port);
    uint32_t divisor = divisor64(frame->baud);
    hw->ctl = 0;
    hw->im = 0;
    hw->ibrd = divisor >> 6;
    hw->fbrd = divisor & 0x3Fu;
    hw->lcrh = line_control(frame); /* also latches the divisor */
    hw->ifls = 0;                   /* interrupt at 2 received, 2 left to send */
    lm3s_pin_function(pins[port].tx);
    lm3s_pin_function(pins[port].rx);
    hw->ctl = LM3S_UART_ENABLE | CTL_TX | CTL_RX;
}

void uart_hw_stop(uint8_t port)
{
    LM3S_UART(port)->im = 0;
    LM3S_UART(port)->ctl = 0;
}

bool uart_hw_can_send(uint8_t port)
{
    return !(LM3S_UART(port)->fr & LM3S_UART_TX_FULL);
}

void uart_hw_send(uint8_t port, struct byte_ring *from, unsigned most)
{
    for (; most > 0 && ring_held(from) > 0 && uart_hw_can_send(port); most--)
        LM3S_UART(port)->dr = ring_take(from);
}

bool uart_hw_busy(uint8_t port)
{
    return LM3S_UART(port)->fr & LM3S_UART_BUSY;
}

/* Interrupts off, or the port's own. */
void uart_hw_tell_sent(uint8_t port, bool tell)
{
    uint32_t im = LM3S_UART(port)->im;
    LM3S_UART(port)->im = tell ? im | INT_TX : im & ~(uint32_t)INT_TX;
}

uint16_t uart_hw_receive(uint8_t port, struct byte_ring *to)
{
    struct lm3s_uart *hw = LM3S_UART(port);
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
