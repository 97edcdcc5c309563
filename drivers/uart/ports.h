/*
 * The ports of serial.c. Port 0 is its own; port 1 is linked where a call opens it by name, see
 * takt/uart.h. Private to drivers/uart.
 */
#ifndef TAKT_UART_PORTS_H
#define TAKT_UART_PORTS_H

#include <takt/sem.h>
#include <takt/uart.h>

#include "hardware.h"

/* Where there is one thread it polls: it needs none of the semaphores. */
#if TAKT_ONE_THREAD
#define UART_SEMS 0
#define UART_SEMS_INIT
#else
#define UART_SEMS 1
#define UART_SEMS_INIT                                                                             \
    .writer = {TAKT_SEM_BINARY_INIT(1)}, .room = {TAKT_SEM_BINARY_INIT(0)},                        \
    .arrived = {TAKT_SEM_BINARY_INIT(0)},
#endif

struct uart_port {
    struct byte_ring tx, rx;
    struct takt_sem writer[UART_SEMS]; /* held by the thread inside write, flush, open or close */
    struct takt_sem room[UART_SEMS];   /* given by the interrupt when `wanted` bytes are free */
    struct takt_sem arrived[UART_SEMS];
    volatile ring_at_t wanted; /* 0: no thread waits */
    volatile uint16_t lost;
    uint32_t byte_us;
    uint8_t number;
    bool open;
};

/* A port and its rings. */
#define UART_PORT(name, number_)                                                                   \
    static uint8_t name##_tx[TAKT_UART_TX_SIZE], name##_rx[TAKT_UART_RX_SIZE];                     \
    struct uart_port name = {.tx = BYTE_RING(name##_tx),                                           \
                             .rx = BYTE_RING(name##_rx),                                           \
                             UART_SEMS_INIT .number = (number_)}

#endif
