/*
 * What an interrupt of a port does; part of serial.c, and of pipe.c, which does more.
 */
#ifndef TAKT_UART_SERVE_H
#define TAKT_UART_SERVE_H

#include <takt/port.h>

#include "ports.h"

#pragma weak takt_uart_port1

#define BURST    6u /* bytes moved per stretch with interrupts off */

/* NULL: there is none, or the program does not name it. */
static inline struct uart_port *port_numbered(uint8_t n)
{
    return n == 0 ? &takt_uart_port0 : n == 1 ? &takt_uart_port1 : NULL;
}

/* Moves some bytes from the ring to the hardware. */
static inline void pump(struct uart_port *port)
{
    uint8_t n = port->number;
    port_irq_t irq = port_irq_save();
    uart_hw_send(n, &port->tx, BURST);
    uart_hw_tell_sent(n, ring_held(&port->tx) != 0 || (!TAKT_ONE_THREAD && port->wanted != 0));
    port_irq_restore(irq);
}

static inline void receive(struct uart_port *port)
{
    ring_at_t before = port->rx.head;
    port->lost = (uint16_t)(port->lost + uart_hw_receive(port->number, &port->rx));
    if (!TAKT_ONE_THREAD && port->rx.head != before)
        (void)takt_sem_signal_isr(port->arrived); /* refused when already given: no matter */
}

static inline void send(struct uart_port *port)
{
    do
        pump(port);
    while (ring_held(&port->tx) != 0 && uart_hw_can_send(port->number));
    if (!TAKT_ONE_THREAD && port->wanted != 0 && ring_free(&port->tx) >= port->wanted) {
        port->wanted = 0;
        (void)takt_sem_signal_isr(port->room);
        pump(port); /* nothing to be told any more when there is nothing to send */
    }
}

static inline void serve(uint8_t n, struct uart_port *port)
{
    bool due = TAKT_ONE_THREAD || (port->wanted != 0 && ring_free(&port->tx) + 1u >= port->wanted);
    if (due || !uart_hw_sent_one(n, &port->tx)) {
        receive(port);
        send(port);
    }
}

#endif
