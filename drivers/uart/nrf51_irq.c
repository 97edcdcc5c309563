/*
 * The UART of the nRF51 with interrupts; apart, so that a program with nothing but the console
 * links none.
 */
#include "../nrf51/nrf51.h"
#include "hardware.h"

enum { INT_RXD_READY = 1 << 2 };

void uart_hw_start(uint8_t port, const struct uart_frame *frame)
{
    (void)port;
    nrf51_uart_start(frame);
    NRF51_UART0->intenset = INT_RXD_READY;
    nrf51_irq_enable(NRF51_IRQ_UART0, 2);
}

void isr_uart0(void)
{
    uart_serve(0, NRF51_IRQ_UART0);
}
