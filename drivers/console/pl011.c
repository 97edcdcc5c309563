/*
 * The console on UART0, by polling. It shares the wire with the serial driver but not its code: a
 * program without Serial still reports fatal errors and carries no rings for it.
 */
#include <takt/console.h>
#include <takt/uart.h>

#include "../uart/pl011.h"

#pragma weak uart_drain_console /* there only if the program uses the serial driver, */
#pragma weak takt_uart_port0    /* as is this, whose address may be taken: it is not called */

static bool running(void)
{
    return (RP2040_RESETS->reset_done & RP2040_RESET_UART0) && (RP2040_UART0->cr & PL011_CR_ENABLE);
}

void board_console_put(char c)
{
    static const struct uart_frame frame = {115200, 8, 0, 1};
    if (!running())
        pl011_start(0, &frame);
    if (&takt_uart_port0 != NULL)
        uart_drain_console();
    while (RP2040_UART0->fr & PL011_FR_TX_FULL) {
    }
    RP2040_UART0->dr = (uint8_t)c;
    if (c == '\n')
        while (RP2040_UART0->fr & PL011_FR_BUSY) {
        }
}
