/*
 * Serial ports as endpoints of pipes. The interrupt moves bytes between the hardware and the pipe,
 * so there is no I/O VCPU: a line cannot interrupt faster than its baud rate, and admission counts
 * that. A packet is a byte. A port belongs to its pipes, one each way at most, with 8 data bits,
 * no parity, one stop bit, and to no other program. A second pipe the same way reads or writes
 * TAKT_EOWNER, one with another baud rate, or one that cannot be, TAKT_EINVAL.
 */
#ifndef TAKT_UART_PIPE_H
#define TAKT_UART_PIPE_H

#include <takt/pipe.h>
#include <takt/uart.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the hardware does; the board's. Bytes it holds while an interrupt is late; bits (time on the
 * line) for which it may keep a received byte back: where it tells of n bytes, or of fewer once the
 * line has been silent for so many bits, n - 1 such silences; least bits between two interrupts of
 * receiving, and of sending. */
#ifndef TAKT_UART_FIFO
#define TAKT_UART_FIFO 2
#endif
#ifndef TAKT_UART_HOLD_BITS
#define TAKT_UART_HOLD_BITS 0
#endif
#ifndef TAKT_UART_APART_BITS
#define TAKT_UART_APART_BITS 9
#endif
#ifndef TAKT_UART_OUT_APART_BITS
#define TAKT_UART_OUT_APART_BITS 9
#endif
/* Ports, and bits per second they can do; below the least, times here would wrap. */
#ifndef TAKT_UART_PORTS
#define TAKT_UART_PORTS 2
#endif
#ifndef TAKT_UART_BAUD_LEAST
#define TAKT_UART_BAUD_LEAST 300
#endif
#ifndef TAKT_UART_BAUD_MOST
#define TAKT_UART_BAUD_MOST 4000000l
#endif
#if TAKT_UART_PORTS > 1
#define TAKT_UART_PORT1_ (&takt_uart_port1)
#else
#define TAKT_UART_PORT1_ (&takt_uart_port0)
#endif
/* ns the interrupt takes for what comes, or goes, at a time. */
#ifndef TAKT_UART_TOP_NS
#define TAKT_UART_TOP_NS 100000
#endif
#ifndef TAKT_UART_OUT_TOP_NS
#define TAKT_UART_OUT_TOP_NS TAKT_UART_TOP_NS
#endif

/* Bytes that wait beyond the pipe's buffer to be sent, those in the hardware not counted; hardware
 * with an interrupt for each byte may tell of them when all have left. */
#ifndef TAKT_UART_AHEAD
#define TAKT_UART_AHEAD 16u
#endif
#define TAKT_UART_OUT_BITS_ (10u * (2u * TAKT_UART_AHEAD + TAKT_UART_FIFO))

/* A line; const. */
struct takt_uart_line {
    struct uart_port *port; /* takt_uart_port0 or 1 */
    uint32_t baud;          /* as takt_uart_open() */
    uint8_t number;         /* of the port */
};

extern const struct takt_endpoint_ops takt_uart_in_ops, takt_uart_out_ops;

#define TAKT_UART_BITS_NS_(bits, baud) ((uint32_t)((bits) * (1000000000ull / (baud))))

/* A byte, of a sender that is 2 % fast. */
#define TAKT_UART_BYTE_NS_(baud) ((uint32_t)(9800000000ull / (baud)))

/* Initialisers of struct takt_endpoint_attrs. */
#define TAKT_UART_IN_ATTRS(baud)                                                                   \
    {1, 8, TAKT_UART_BYTE_NS_(baud), TAKT_UART_FIFO, TAKT_UART_FIFO, 1, 1, TAKT_PUSHED, 0,         \
     TAKT_UART_BITS_NS_(TAKT_UART_HOLD_BITS, baud), 0, TAKT_UART_TOP_NS, 0, 0, 0,                  \
     TAKT_UART_DELAY_US_(baud), 0, 0, TAKT_UART_BITS_NS_(TAKT_UART_APART_BITS, baud)}
#define TAKT_UART_OUT_ATTRS(baud)                                                                  \
    {1, 8, TAKT_UART_BYTE_NS_(baud), 0, 0, 1, 1, TAKT_PUSHED, 0,                                   \
     TAKT_UART_BITS_NS_(TAKT_UART_OUT_BITS_, baud), 0, TAKT_UART_OUT_TOP_NS, 0, 0, 0,              \
     TAKT_UART_BITS_NS_(TAKT_UART_OUT_BITS_, baud) / 1000u + TAKT_UART_OUT_TOP_NS / 100u, 0, 0,    \
     TAKT_UART_BITS_NS_(TAKT_UART_OUT_APART_BITS, baud)}

/* Held back, and ten times as long as an interrupt takes until it is served. */
#define TAKT_UART_DELAY_US_(baud)                                                                  \
    (TAKT_UART_BITS_NS_(TAKT_UART_HOLD_BITS, baud) / 1000u + TAKT_UART_TOP_NS / 100u)

#ifdef __cplusplus
}
#endif

#endif
