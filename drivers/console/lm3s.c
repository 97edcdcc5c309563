/*
 * The console on UART0 of an LM3S, by polling. It shares the wire with the serial driver; a program
 * without Serial carries no rings for it.
 */
#include <takt/console.h>

#include "../lm3s/lm3s.h"
#include "../uart/hardware.h"

#pragma weak uart_drain_console /* there only if the program uses the serial driver */

void board_console_put(char c)
{
    static const struct uart_frame frame = {115200, 8, 0, 1};
    struct lm3s_uart *hw = LM3S_UART(0);
    if (!(hw->ctl & LM3S_UART_ENABLE))
        lm3s_uart_start(0, &frame);
    if (uart_drain_console)
        uart_drain_console();
    while (hw->fr & LM3S_UART_TX_FULL) {
    }
    hw->dr = (uint8_t)c;
    if (c == '\n')
        while (hw->fr & LM3S_UART_BUSY) {
        }
}
