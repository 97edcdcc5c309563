/*
 * The UARTs of an LM3S with interrupts; apart, so that a program with nothing but the console links
 * none.
 */
#include "../lm3s/lm3s.h"
#include "hardware.h"

enum { INT_RX = 1 << 4, INT_RX_TIMEOUT = 1 << 6 };

void uart_hw_start(uint8_t port, const struct uart_frame *frame)
{
    lm3s_uart_start(port, frame);
    LM3S_UART(port)->im = INT_RX | INT_RX_TIMEOUT;
    nvic_enable(port == 0 ? LM3S_IRQ_UART0 : LM3S_IRQ_UART1, NVIC_DEVICE);
}

void isr_uart0(void)
{
    uart_serve(0, LM3S_IRQ_UART0);
}

void isr_uart1(void)
{
    uart_serve(1, LM3S_IRQ_UART1);
}
