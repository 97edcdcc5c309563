/*
 * serialEvent() and serialEvent1(): called between two passes of the loop (the most urgent one,
 * where there are several), on its thread, when bytes wait. A sketch without them, or without
 * Serial, does not link the serial driver for this: references here are weak.
 */
#include <takt/uart.h>
#include <takt/uart_pipe.h>

#include "start.h"

extern "C" __attribute__((weak)) int takt_uart_available(uint8_t port);
extern "C" __attribute__((weak)) struct uart_port takt_uart_port0;
__attribute__((weak)) void serialEvent();
__attribute__((weak)) void serialEvent1();

void takt_serial_events()
{
    if (!&takt_uart_port0)
        return;
    if (serialEvent && takt_uart_available(0) > 0)
        serialEvent();
    if (TAKT_UART_PORTS > 1 && serialEvent1 && takt_uart_available(1) > 0)
        serialEvent1();
}
