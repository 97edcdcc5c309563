/*
 * The console on UART0 of an MPS2 board, by polling. It shares the wire with the serial driver; a
 * program without Serial carries no rings for it.
 */
#include <takt/console.h>

#include "../cmsdk/cmsdk.h"
#include "../uart/hardware.h"

#pragma weak uart_drain_console /* there only if the program uses the serial driver */

void board_console_put(char c)
{
    static const struct uart_frame frame = {115200, 8, 0, 1};
    struct cmsdk_uart *hw = CMSDK_UART(0);
    if (!(hw->ctrl & CMSDK_UART_TX))
        cmsdk_uart_start(0, &frame);
    if (uart_drain_console)
        uart_drain_console();
    while (hw->state & CMSDK_UART_TX_FULL) {
    }
    hw->data = (uint8_t)c;
    while (hw->state & CMSDK_UART_TX_FULL) {
    }
}
