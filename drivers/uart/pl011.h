/*
 * What the console needs of the PL011 beside hardware.h: to set a port up without interrupts.
 */
#ifndef TAKT_PL011_H
#define TAKT_PL011_H

#include "../rp2040/rp2040.h"
#include "hardware.h"

enum {
    PL011_FR_BUSY = 1u << 3,
    PL011_FR_TX_FULL = 1u << 5,
    PL011_CR_ENABLE = 1u << 0,
};

/* As uart_hw_start(), but nothing interrupts. Any context. */
void pl011_start(uint8_t port, const struct uart_frame *frame);

#endif
