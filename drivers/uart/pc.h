/*
 * What the console needs of a 16550 beside hardware.h: to use it without interrupts.
 */
#ifndef TAKT_UART_PC_H
#define TAKT_UART_PC_H

#include "hardware.h"

enum { PC_UART_RECEIVES = 1, PC_UART_SENDS = 2 }; /* causes of interrupts */

/* As uart_hw_start(), but nothing interrupts. Any context. */
void pc_uart_start(uint8_t port, const struct uart_frame *frame);

/* Has it been set up? */
bool pc_uart_is_open(uint8_t port);

/* Sends a byte; uart_hw_can_send() is true. */
void pc_uart_put(uint8_t port, uint8_t byte);

/* These causes interrupt, of all that there are. */
void pc_uart_causes(uint8_t port, uint8_t causes);

/* Is there one? Looking at it ends that of sending. */
bool pc_uart_has_cause(uint8_t port);

#endif
