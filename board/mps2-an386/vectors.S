/*
 * Vector table of AN386 (table 4-1).
 */
#include "vectors.h"
    .irp source, uart0_rx, uart0_tx, uart1_rx, uart1_tx, uart2_rx, uart2_tx, gpio0, gpio1, timer0, \
        timer1, dualtimer, reserved11, uart_overflow, ethernet, audio, touch, gpio2, gpio3, \
        uart3_rx, uart3_tx, uart4_rx, uart4_tx, spi2, spi34
    handler \source
    .endr
    .irp pin, 0, 1, 2, 3, 4, 5, 6, 7
    handler gpio0_\pin
    .endr
