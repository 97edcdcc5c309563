/*
 * Serial ports, interrupt driven: per port a ring of bytes that wait to be sent and one of bytes
 * received, beside what the hardware holds. pico: port 0 is UART0 on GP0 (out) and GP1 (in), port 1
 * is UART1 on GP4 and GP5. stm32f051: USART1 on pins 1 (out) and 0 (in), USART2 on 4 and 5.
 */
#ifndef TAKT_UART_H
#define TAKT_UART_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes a port's rings hold, powers of two; the board's choice. */
#ifndef TAKT_UART_TX_SIZE
#define TAKT_UART_TX_SIZE 256u
#endif
#ifndef TAKT_UART_RX_SIZE
#define TAKT_UART_RX_SIZE 128u
#endif

enum takt_parity {
    TAKT_PARITY_NONE,
    TAKT_PARITY_ODD,
    TAKT_PARITY_EVEN,
};

/*
 * Opens a port, or changes the settings of an open one after what is being sent. baud: 110 up to
 * a sixteenth of the clock; data_bits: 5..8 (stm32f051: 8, or 7 with parity);
 * parity: enum takt_parity; stop_bits: 1 or 2. Received bytes not read are dropped. Thread or main;
 * may block as takt_uart_flush() does.
 * TAKT_EINVAL: no such port or setting. TAKT_ECONTEXT: in an interrupt.
 */
static inline int takt_uart_open(uint8_t port, uint32_t baud, uint8_t data_bits, uint8_t parity,
                                 uint8_t stop_bits);

/* The same for callers that see to it that the port is linked: port 0 is; port 1 where something
 * refers to takt_uart_port1. Else TAKT_EINVAL. */
int takt_uart_open_linked(uint8_t port, uint32_t baud, uint8_t data_bits, uint8_t parity,
                          uint8_t stop_bits);

/* The ports, for asking the linker whether they are there. */
struct uart_port;
extern struct uart_port takt_uart_port0, takt_uart_port1;

/* Sends what waits, then stops the port and gives back its pins as inputs. As takt_uart_open(). */
int takt_uart_close(uint8_t port);

/*
 * Sends n bytes; returns n. While there is no room only the calling thread waits, and the bytes of
 * one call are not mixed with another thread's. In an interrupt handler, before takt_start() and
 * while holding a mutex there is no waiting: the call then polls the hardware for room, and an
 * interrupt's bytes may come between a thread's.
 * TAKT_EINVAL: no such port or not open.
 */
int takt_uart_write(uint8_t port, const void *data, size_t n);

/* Sends a byte if that is done at once: the port is open, there is room, and no thread is within a
 * call on it. Either context, interrupts off. O(1). */
bool takt_uart_put_locked(uint8_t port, uint8_t byte);

/* Bytes that a write takes without waiting, 0..TAKT_UART_TX_SIZE. Either context. TAKT_EINVAL as
 * above. */
int takt_uart_free(uint8_t port);

/* Waits until every byte has left the wire. Contexts and errors as takt_uart_write(). */
int takt_uart_flush(uint8_t port);

/* Bytes that can be read without waiting. Either context. TAKT_EINVAL as above. */
int takt_uart_available(uint8_t port);

/* The next byte, taken (read) or left (peek); -1 when there is none or the port is not open.
 * Either context. */
int takt_uart_read(uint8_t port);
int takt_uart_peek(uint8_t port);

/* Waits until a byte can be read, at most `us`: 1, or TAKT_ETIMEOUT. Thread (main: polls).
 * TAKT_EINVAL: port, or us above TAKT_DURATION_MAX; TAKT_ECONTEXT: in an interrupt. */
int takt_uart_wait(uint8_t port, uint32_t us);

/* Received bytes lost since the port was opened: ring or FIFO full, or garbled. Wraps at 2^16.
 * Either context. TAKT_EINVAL as above. */
int takt_uart_lost(uint8_t port);

/* A program that opens port 0 and no other carries no rings for port 1. */
static inline int takt_uart_open(uint8_t port, uint32_t baud, uint8_t data_bits, uint8_t parity,
                                 uint8_t stop_bits)
{
    if (!__builtin_constant_p(port) || port == 1)
        __asm__ volatile(".globl takt_uart_port1");
    return takt_uart_open_linked(port, baud, data_bits, parity, stop_bits);
}

#ifdef __cplusplus
}
#endif

#endif
