/*
 * The serial ports COM1 and COM2 of a PC: 16550, with FIFOs of 16 bytes.
 *
 * It tells when all it had has gone into its last register, not how much room there is before that:
 * `room` counts what has been put since. Its interrupt comes by an edge, so a handler looks until
 * no cause is left. Where there is no such chip all registers read 0xFF: it takes every byte then,
 * and never has one.
 */
#include <takt/uart.h>
#include <x86.h>

#include "pc.h"

enum {
    DATA = 0,
    DIVISOR = 0, /* and the upper byte at 1, behind LINE_DIVISOR */
    CAUSES = 1,
    CAUSE = 2, /* read: bit 0 is 0 while there is one; written: FIFOs */
    LINE = 3,
    MODEM = 4,
    STATE = 5,
    CAUSE_NONE = 1,
    FIFOS_ON = 0x07, /* both emptied; an interrupt for every byte received, or: */
    FIFOS_AT_4 = 0x40, /* or after 4 characters of silence */
    LINE_TWO_STOP = 4,
    LINE_PARITY = 8,
    LINE_EVEN = 0x10,
    LINE_DIVISOR = 0x80,
    MODEM_ON = 0x0B, /* ready, and interrupts go out (OUT2) */
    STATE_RECEIVED = 1,
    STATE_OVERRUN = 2,
    STATE_GARBLED = 0x1C, /* parity, frame, break */
    STATE_EMPTY = 0x20,
    STATE_SENT = 0x40,
    STATE_NONE = 0xFF,
    DEPTH = 16,
};

#define BAUD_MOST 115200u

static struct {
    bool open;
    uint8_t room, causes;
} ports[UART_PORTS];

static uint16_t at(uint8_t port, unsigned reg)
{
    return (uint16_t)((port == 0 ? 0x3F8u : 0x2F8u) + reg);
}

static uint32_t divisor(uint32_t baud)
{
    return (BAUD_MOST + baud / 2) / baud;
}

bool uart_hw_possible(const struct uart_frame *f)
{
    return f->baud != 0 && f->baud <= BAUD_MOST && divisor(f->baud) <= 0xFFFFu &&
           f->data_bits >= 5 && f->data_bits <= 8 && f->parity <= TAKT_PARITY_EVEN &&
           f->stop_bits >= 1 && f->stop_bits <= 2;
}

static uint8_t line_control(const struct uart_frame *f)
{
    unsigned line = f->data_bits - 5u;
    if (f->stop_bits == 2)
        line |= LINE_TWO_STOP;
    if (f->parity != TAKT_PARITY_NONE)
        line |= LINE_PARITY;
    if (f->parity == TAKT_PARITY_EVEN)
        line |= LINE_EVEN;
    return (uint8_t)line;
}

void pc_uart_start(uint8_t port, const struct uart_frame *frame)
{
    uint32_t by = divisor(frame->baud);
    pc_uart_causes(port, 0);
    x86_out8(at(port, LINE), LINE_DIVISOR);
    x86_out8(at(port, DIVISOR), (uint8_t)by);
    x86_out8(at(port, DIVISOR + 1), (uint8_t)(by >> 8));
    x86_out8(at(port, LINE), line_control(frame));
    x86_out8(at(port, CAUSE), FIFOS_ON | FIFOS_AT_4);
    x86_out8(at(port, MODEM), MODEM_ON);
    ports[port].open = true;
}

void uart_hw_stop(uint8_t port)
{
    pc_uart_causes(port, 0);
    x86_out8(at(port, MODEM), 0);
    ports[port].open = false;
}

bool pc_uart_is_open(uint8_t port)
{
    return ports[port].open;
}

bool uart_hw_can_send(uint8_t port)
{
    if (ports[port].room == 0 && (x86_in8(at(port, STATE)) & STATE_EMPTY))
        ports[port].room = DEPTH;
    return ports[port].room > 0;
}

void pc_uart_put(uint8_t port, uint8_t byte)
{
    ports[port].room--;
    x86_out8(at(port, DATA), byte);
}

void uart_hw_send(uint8_t port, struct byte_ring *from, unsigned most)
{
    for (; most > 0 && ring_held(from) > 0 && uart_hw_can_send(port); most--)
        pc_uart_put(port, ring_take(from));
}

bool uart_hw_busy(uint8_t port)
{
    return !(x86_in8(at(port, STATE)) & STATE_SENT);
}

void pc_uart_causes(uint8_t port, uint8_t causes)
{
    ports[port].causes = causes;
    x86_out8(at(port, CAUSES), causes);
}

bool pc_uart_has_cause(uint8_t port)
{
    return !(x86_in8(at(port, CAUSE)) & CAUSE_NONE);
}

/* Where it is empty already, switching the cause on makes it interrupt. */
void uart_hw_tell_sent(uint8_t port, bool tell)
{
    unsigned causes = ports[port].causes & ~(unsigned)PC_UART_SENDS;
    if (tell)
        causes |= PC_UART_SENDS;
    if (causes != ports[port].causes)
        pc_uart_causes(port, (uint8_t)causes);
}

uint16_t uart_hw_receive(uint8_t port, struct byte_ring *to)
{
    uint16_t lost = 0;
    uint8_t state;
    while (((state = x86_in8(at(port, STATE))) & STATE_RECEIVED) && state != STATE_NONE) {
        uint8_t byte = x86_in8(at(port, DATA));
        if (state & STATE_OVERRUN)
            lost++;
        if ((state & STATE_GARBLED) || ring_free(to) == 0)
            lost++;
        else
            ring_put(to, byte);
    }
    return lost;
}
