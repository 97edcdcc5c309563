/*
 * The serial ports of a PC with interrupts; apart, so that a program with nothing but the console
 * links none.
 */
#include <irq.h>

#include "pc.h"

enum { LINE_COM1 = 4, LINE_COM2 = 3 };

static uint8_t vectors[UART_PORTS];

static void serve(void *arg)
{
    uint8_t port = (uint8_t)(uintptr_t)arg;
    while (pc_uart_has_cause(port))
        uart_serve(port, vectors[port]);
}

void uart_hw_start(uint8_t port, const struct uart_frame *frame)
{
    pc_uart_start(port, frame);
    int vector = irq_line(port == 0 ? LINE_COM1 : LINE_COM2, serve, (void *)(uintptr_t)port);
    if (vector >= 0)
        vectors[port] = (uint8_t)vector;
    pc_uart_causes(port, PC_UART_RECEIVES);
}
