/*
 * The console on UART0 of the nRF51, by polling. It shares the wire with the serial driver but a
 * program without Serial carries no rings for it.
 */
#include <takt/console.h>

#include "../nrf51/nrf51.h"
#include "../uart/hardware.h"

#pragma weak uart_drain_console /* there only if the program uses the serial driver */

static void send(char c)
{
    NRF51_UART0->txd_ready = 0;
    NRF51_UART0->txd = (uint8_t)c;
    while (NRF51_UART0->txd_ready == 0) {
    }
}

void board_console_put(char c)
{
    static const struct uart_frame frame = {115200, 8, 0, 1};
    if (NRF51_UART0->enable == 0)
        nrf51_uart_start(&frame);
    if (uart_drain_console)
        uart_drain_console();
    send(c);
}
