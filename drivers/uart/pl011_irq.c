/*
 * The PL011 with interrupts; apart, so that a program with nothing but the console links none.
 */
#include "pl011.h"

enum { INT_RX = 1u << 4, INT_RX_TIMEOUT = 1u << 6 };

void uart_hw_start(uint8_t port, const struct uart_frame *frame)
{
    pl011_start(port, frame);
    (port == 0 ? RP2040_UART0 : RP2040_UART1)->imsc = INT_RX | INT_RX_TIMEOUT;
    rp2040_irq_enable(port == 0 ? RP2040_IRQ_UART0 : RP2040_IRQ_UART1, 2);
}

void isr_uart0(void)
{
    uart_serve(0, RP2040_IRQ_UART0);
}

void isr_uart1(void)
{
    uart_serve(1, RP2040_IRQ_UART1);
}
