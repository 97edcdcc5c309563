/*
 * Serial1, and with it the driver's port 1, for sketches that use it.
 */
#include "HardwareSerial.h"

__asm__(".globl takt_uart_port1");

HardwareSerial Serial1(1);
