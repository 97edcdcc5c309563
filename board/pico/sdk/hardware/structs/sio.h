/* The I/O port of the CPU (RP2040 data sheet 2.3.1.7). */
#ifndef TAKT_HARDWARE_STRUCTS_SIO_H
#define TAKT_HARDWARE_STRUCTS_SIO_H

#include <pico/types.h>

typedef struct {
    io_ro_32 cpuid, gpio_in, gpio_hi_in;
    uint32_t unused;
    io_rw_32 gpio_out;
    io_wo_32 gpio_set, gpio_clr, gpio_togl;
    io_rw_32 gpio_oe;
    io_wo_32 gpio_oe_set, gpio_oe_clr, gpio_oe_togl;
} sio_hw_t;

#define sio_hw ((sio_hw_t *)0xD0000000u)

#endif
