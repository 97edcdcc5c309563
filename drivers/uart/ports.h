/*
 * The ports of serial.c. Port 0 is its own; port 1 is linked where a call opens it by name, see
 * takt/uart.h. Private to drivers/uart.
 */
#ifndef TAKT_UART_PORTS_H
#define TAKT_UART_PORTS_H

#include <takt/sem.h>
#include <takt/uart.h>

#include "hardware.h"

struct uart_port {
    struct byte_ring tx, rx;
    struct takt_sem writer; /* held by the thread inside write, flush, open or close */
    struct takt_sem room;   /* given by the interrupt when `wanted` bytes are free */
    struct takt_sem arrived;
    volatile ring_at_t wanted; /* 0: no thread waits */
    volatile uint16_t lost;
    uint32_t byte_us;
    uint8_t number;
    bool open;
};

/* A port and its rings. */
#define UART_PORT(name, number)                                                                    \
    static uint8_t name##_tx[TAKT_UART_TX_SIZE], name##_rx[TAKT_UART_RX_SIZE];                     \
    struct uart_port name = {BYTE_RING(name##_tx),                                                 \
                             BYTE_RING(name##_rx),                                                 \
                             TAKT_SEM_BINARY_INIT(1),                                              \
                             TAKT_SEM_BINARY_INIT(0),                                              \
                             TAKT_SEM_BINARY_INIT(0),                                              \
                             0,                                                                    \
                             0,                                                                    \
                             0,                                                                    \
                             (number),                                                             \
                             false}

#endif
