/*
 * The CMSDK UARTs with interrupts; apart, so that a program with nothing but the console links
 * none.
 */
#include "../cmsdk/cmsdk.h"
#include "hardware.h"

void uart_hw_start(uint8_t port, const struct uart_frame *frame)
{
    cmsdk_uart_start(port, frame);
    CMSDK_UART(port)->ctrl |= CMSDK_UART_RX_INT;
    nvic_enable(cmsdk_uart_irq(port), NVIC_DEVICE);
    nvic_enable(cmsdk_uart_irq(port) + 1, NVIC_DEVICE);
}

/* Both interrupts have the same priority, so neither comes within the other. */
static void serve(uint8_t port)
{
    CMSDK_UART(port)->intclear = 3;
    uart_serve(port, (uint8_t)cmsdk_uart_irq(port));
}

void isr_uart0_rx(void)
{
    serve(0);
}

void isr_uart0_tx(void)
{
    serve(0);
}

void isr_uart1_rx(void)
{
    serve(1);
}

void isr_uart1_tx(void)
{
    serve(1);
}
