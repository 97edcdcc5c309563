/*
 * The console on USART0 of an ATmega, by polling. It shares the wire with the serial driver but a
 * program without Serial carries no rings for it.
 */
#include <avr/io.h>

#include <takt/console.h>
#include <takt/types.h>

#define BAUD (F_CPU < 16000000ul ? 38400ul : 115200ul) /* as near as the clock allows */

#pragma weak uart_drain_console /* there only if the program uses the serial driver */
void uart_drain_console(void);

static void send(char c)
{
    while (!(UCSR0A & (1u << UDRE0))) {
    }
    UCSR0A = (uint8_t)((UCSR0A & (1u << U2X0)) | 1u << TXC0);
    UDR0 = (uint8_t)c;
    if (c == '\n')
        while (!(UCSR0A & (1u << TXC0))) {
        }
}

void board_console_put(char c)
{
    if (!(UCSR0B & (1u << TXEN0))) {
        UBRR0 = (F_CPU / 8 + BAUD / 2) / BAUD - 1;
        UCSR0A = 1u << U2X0;
        UCSR0B = 1u << TXEN0;
    }
    if (uart_drain_console)
        uart_drain_console();
    send(c);
}
