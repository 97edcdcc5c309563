/*
 * What serial.c asks of the hardware of a port; one file per chip block fulfils it. `port` is
 * always below UART_PORTS.
 */
#ifndef TAKT_UART_HARDWARE_H
#define TAKT_UART_HARDWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "ring.h"

#define UART_PORTS 2u

struct uart_frame {
    uint32_t baud;
    uint8_t data_bits, parity, stop_bits;
};

/* Can the hardware do this? */
bool uart_hw_possible(const struct uart_frame *frame);

/* Resets the port, sets it up (with a frame that is possible) and takes its pins; receiving
 * interrupts, sending does not. */
void uart_hw_start(uint8_t port, const struct uart_frame *frame);

/* Stops the port; its pins become inputs. */
void uart_hw_stop(uint8_t port);

/* Moves up to `most` bytes from the ring to the hardware, as long as it takes them. Interrupts
 * off. */
void uart_hw_send(uint8_t port, struct byte_ring *from, unsigned most);

/* Would uart_hw_send() move a byte? */
bool uart_hw_can_send(uint8_t port);

/* Is there still something on its way out? */
bool uart_hw_busy(uint8_t port);

/* uart_serve() is to be called when the hardware, having been full, is nearly empty; or not. */
void uart_hw_tell_sent(uint8_t port, bool tell);

/* Moves what has arrived into the ring; returns how many bytes were lost or garbled. Only from
 * uart_serve(). */
uint16_t uart_hw_receive(uint8_t port, struct byte_ring *to);

/* For hardware that interrupts for every byte: if that is all there is to do, moves one byte from
 * the ring, which holds another one, and is true. Only from uart_serve(). */
bool uart_hw_sent_one(uint8_t port, struct byte_ring *from);

/* The hardware's interrupt calls this, unbracketed; irq: its number, for the trace. */
void uart_serve(uint8_t port, uint8_t irq);

/* Sends what serial.c holds for port 0, by polling. Any context. For the console. */
void uart_drain_console(void);

#endif
