/* A UART, a PL011 (RP2040 data sheet 4.2.8). */
#ifndef TAKT_HARDWARE_STRUCTS_UART_H
#define TAKT_HARDWARE_STRUCTS_UART_H

#include <hardware/address_mapped.h>
#include <hardware/regs/uart.h>

typedef struct {
    io_rw_32 dr, rsr;
    uint32_t unused0[4];
    io_ro_32 fr;
    uint32_t unused1;
    io_rw_32 ilpr, ibrd, fbrd, lcr_h, cr, ifls, imsc;
    io_ro_32 ris, mis;
    io_rw_32 icr, dmacr;
} uart_hw_t;

#define uart0_hw ((uart_hw_t *)0x40034000u)
#define uart1_hw ((uart_hw_t *)0x40038000u)

#endif
