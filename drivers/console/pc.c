/*
 * The console on COM1 (16550), by polling. It shares the wire with the serial driver; a program
 * without Serial carries no rings for it.
 */
#include <takt/console.h>

#include "../uart/hardware.h"
#include "../uart/pc.h"

#pragma weak uart_drain_console /* there only if the program uses the serial driver */

void board_console_put(char c)
{
    static const struct uart_frame frame = {115200, 8, 0, 1};
    if (!pc_uart_is_open(0))
        pc_uart_start(0, &frame);
    if (uart_drain_console)
        uart_drain_console();
    while (!uart_hw_can_send(0)) {
    }
    pc_uart_put(0, (uint8_t)c);
    while (c == '\n' && uart_hw_busy(0)) {
    }
}
