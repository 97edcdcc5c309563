/* A PIO block (RP2040 data sheet 3.7). */
#ifndef TAKT_HARDWARE_STRUCTS_PIO_H
#define TAKT_HARDWARE_STRUCTS_PIO_H

#include <hardware/address_mapped.h>

typedef struct {
    io_rw_32 clkdiv, execctrl, shiftctrl;
    io_ro_32 addr;
    io_rw_32 instr, pinctrl;
} pio_sm_hw_t;

typedef struct {
    io_rw_32 ctrl;
    io_ro_32 fstat;
    io_rw_32 fdebug;
    io_ro_32 flevel;
    io_wo_32 txf[4];
    io_ro_32 rxf[4];
    io_rw_32 irq;
    io_wo_32 irq_force;
    io_rw_32 input_sync_bypass;
    io_ro_32 dbg_padout, dbg_padoe, dbg_cfginfo;
    io_wo_32 instr_mem[32];
    pio_sm_hw_t sm[4];
    io_ro_32 intr;
    io_rw_32 inte0, intf0;
    io_ro_32 ints0;
    io_rw_32 inte1, intf1;
    io_ro_32 ints1;
} pio_hw_t;

#define pio0_hw ((pio_hw_t *)0x50200000u)
#define pio1_hw ((pio_hw_t *)0x50300000u)

/* Places of fields. */
enum {
    PIO_CTRL_SM_ENABLE_LSB = 0,
    PIO_CTRL_SM_RESTART_LSB = 4,
    PIO_CTRL_CLKDIV_RESTART_LSB = 8,
    PIO_FSTAT_RXFULL_LSB = 0,
    PIO_FSTAT_RXEMPTY_LSB = 8,
    PIO_FSTAT_TXFULL_LSB = 16,
    PIO_FSTAT_TXEMPTY_LSB = 24,
    PIO_FDEBUG_RXSTALL_LSB = 0,
    PIO_FDEBUG_RXUNDER_LSB = 8,
    PIO_FDEBUG_TXOVER_LSB = 16,
    PIO_FDEBUG_TXSTALL_LSB = 24,
    PIO_DBG_CFGINFO_FIFO_DEPTH_LSB = 0,
    PIO_DBG_CFGINFO_FIFO_DEPTH_BITS = 0x3F,
    PIO_DBG_CFGINFO_SM_COUNT_LSB = 8,
    PIO_DBG_CFGINFO_SM_COUNT_BITS = 0xF00,
    PIO_SM0_CLKDIV_FRAC_LSB = 8,
    PIO_SM0_CLKDIV_INT_LSB = 16,
    PIO_SM0_EXECCTRL_STATUS_N_LSB = 0,
    PIO_SM0_EXECCTRL_STATUS_SEL_LSB = 4,
    PIO_SM0_EXECCTRL_WRAP_BOTTOM_LSB = 7,
    PIO_SM0_EXECCTRL_WRAP_TOP_LSB = 12,
    PIO_SM0_EXECCTRL_OUT_STICKY_LSB = 17,
    PIO_SM0_EXECCTRL_INLINE_OUT_EN_LSB = 18,
    PIO_SM0_EXECCTRL_OUT_EN_SEL_LSB = 19,
    PIO_SM0_EXECCTRL_JMP_PIN_LSB = 24,
    PIO_SM0_EXECCTRL_SIDE_PINDIR_LSB = 29,
    PIO_SM0_EXECCTRL_SIDE_EN_LSB = 30,
    PIO_SM0_EXECCTRL_EXEC_STALLED_LSB = 31,
    PIO_SM0_SHIFTCTRL_AUTOPUSH_LSB = 16,
    PIO_SM0_SHIFTCTRL_AUTOPULL_LSB = 17,
    PIO_SM0_SHIFTCTRL_IN_SHIFTDIR_LSB = 18,
    PIO_SM0_SHIFTCTRL_OUT_SHIFTDIR_LSB = 19,
    PIO_SM0_SHIFTCTRL_PUSH_THRESH_LSB = 20,
    PIO_SM0_SHIFTCTRL_PULL_THRESH_LSB = 25,
    PIO_SM0_SHIFTCTRL_FJOIN_TX_LSB = 30,
    PIO_SM0_SHIFTCTRL_FJOIN_RX_LSB = 31,
    PIO_SM0_PINCTRL_OUT_BASE_LSB = 0,
    PIO_SM0_PINCTRL_SET_BASE_LSB = 5,
    PIO_SM0_PINCTRL_SIDESET_BASE_LSB = 10,
    PIO_SM0_PINCTRL_IN_BASE_LSB = 15,
    PIO_SM0_PINCTRL_OUT_COUNT_LSB = 20,
    PIO_SM0_PINCTRL_SET_COUNT_LSB = 26,
    PIO_SM0_PINCTRL_SIDESET_COUNT_LSB = 29,
};

#endif
