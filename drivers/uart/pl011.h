/*
 * PL011 of the RP2040: bits, and the hardware set-up that the serial driver and the console share.
 */
#ifndef TAKT_PL011_H
#define TAKT_PL011_H

#include <stdbool.h>
#include <stdint.h>

#include "../rp2040/rp2040.h"

enum {
    PL011_DR_OVERRUN = 1u << 11,
    PL011_DR_GARBLED = 7u << 8, /* framing, parity, break */
    PL011_FR_BUSY = 1u << 3,
    PL011_FR_RX_EMPTY = 1u << 4,
    PL011_FR_TX_FULL = 1u << 5,
    PL011_INT_RX = 1u << 4,
    PL011_INT_TX = 1u << 5,
    PL011_INT_RX_TIMEOUT = 1u << 6,
    PL011_CR_ENABLE = 1u << 0,
};

static inline struct rp2040_uart *pl011_at(uint8_t port)
{
    return port == 0 ? RP2040_UART0 : RP2040_UART1;
}

/* Are these settings ones the hardware has? */
bool pl011_possible(uint32_t baud, uint8_t data_bits, uint8_t parity, uint8_t stop_bits);

/* Resets port 0 or 1, sets it up (settings that are possible) and takes its pins. Interrupts of
 * the port stay masked. */
void pl011_start(uint8_t port, uint32_t baud, uint8_t data_bits, uint8_t parity, uint8_t stop_bits);

/* Stops the port; its pins become inputs. */
void pl011_stop(uint8_t port);

/* Sends what the serial driver holds for port 0, by polling. Any context. */
void pl011_drain(void);

#endif
