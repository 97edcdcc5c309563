/* The watchdog (RP2040 data sheet 4.7.6). TICK is the kernel's clock. */
#ifndef TAKT_HARDWARE_STRUCTS_WATCHDOG_H
#define TAKT_HARDWARE_STRUCTS_WATCHDOG_H

#include <hardware/address_mapped.h>

typedef struct {
    io_rw_32 ctrl;
    io_wo_32 load;
    io_ro_32 reason;
    io_rw_32 scratch[8], tick;
} watchdog_hw_t;

#define watchdog_hw ((watchdog_hw_t *)0x40058000u)

#define WATCHDOG_CTRL_TIME_BITS        0x00FFFFFFu
#define WATCHDOG_CTRL_PAUSE_JTAG_BITS  0x01000000u
#define WATCHDOG_CTRL_PAUSE_DBG0_BITS  0x02000000u
#define WATCHDOG_CTRL_PAUSE_DBG1_BITS  0x04000000u
#define WATCHDOG_CTRL_ENABLE_BITS      0x40000000u
#define WATCHDOG_CTRL_TRIGGER_BITS     0x80000000u

#endif
