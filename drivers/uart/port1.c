/*
 * Port 1 and its rings, for programs that name it.
 */
#include "ports.h"

UART_PORT(takt_uart_port1, 1);
