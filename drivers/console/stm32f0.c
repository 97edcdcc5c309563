/*
 * The console on USART1, by polling. It shares the wire with the serial driver but not its code: a
 * program without Serial still reports fatal errors and carries no rings for it.
 */
#include <takt/console.h>
#include <takt/uart.h>

#include "../uart/stm32f0.h"

#pragma weak uart_drain_console /* there only if the program uses the serial driver, */
#pragma weak takt_uart_port0    /* as is this, whose address may be taken: it is not called */

void board_console_put(char c)
{
    static const struct uart_frame frame = {115200, 8, 0, 1};
    if (!(STM32F0_USART1->cr1 & STM32F0_USART_ON))
        stm32f0_usart_start(0, &frame);
    if (&takt_uart_port0 != NULL)
        uart_drain_console();
    while (!(STM32F0_USART1->isr & STM32F0_USART_EMPTY)) {
    }
    STM32F0_USART1->tdr = (uint8_t)c;
    if (c == '\n')
        while (!(STM32F0_USART1->isr & STM32F0_USART_SENT)) {
        }
}
