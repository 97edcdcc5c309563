/*
 * Register blocks of the RP2040 that Takt's drivers use, by the names of the data sheet
 * (chapters 2 and 4), in lower case. Only what is used is named.
 */
#ifndef TAKT_RP2040_H
#define TAKT_RP2040_H

#include <stdint.h>

typedef volatile uint32_t rp2040_reg;

/* Every register of an APB block also answers at these offsets: a write there flips, sets or
 * clears the bits that are one, in a single bus access. */
static inline rp2040_reg *rp2040_alias_(rp2040_reg *reg, uintptr_t offset)
{
    return (rp2040_reg *)((uintptr_t)reg + offset);
}
#define RP2040_SET(reg) (*rp2040_alias_(&(reg), 0x2000u))
#define RP2040_CLR(reg) (*rp2040_alias_(&(reg), 0x3000u))

/* 2.14 resets: a bit per block, 1 = held in reset */
struct rp2040_resets {
    rp2040_reg reset, wdsel, reset_done;
};
enum rp2040_reset_bit {
    RP2040_RESET_ADC = 1u << 0,
    RP2040_RESET_DMA = 1u << 2,
    RP2040_RESET_I2C0 = 1u << 3,
    RP2040_RESET_I2C1 = 1u << 4,
    RP2040_RESET_IO_BANK0 = 1u << 5,
    RP2040_RESET_IO_QSPI = 1u << 6,
    RP2040_RESET_PADS_BANK0 = 1u << 8,
    RP2040_RESET_PADS_QSPI = 1u << 9,
    RP2040_RESET_PIO0 = 1u << 10,
    RP2040_RESET_PIO1 = 1u << 11,
    RP2040_RESET_PLL_SYS = 1u << 12,
    RP2040_RESET_PLL_USB = 1u << 13,
    RP2040_RESET_PWM = 1u << 14,
    RP2040_RESET_SPI0 = 1u << 16,
    RP2040_RESET_SPI1 = 1u << 17,
    RP2040_RESET_SYSCFG = 1u << 18,
    RP2040_RESET_TIMER = 1u << 21,
    RP2040_RESET_UART0 = 1u << 22,
    RP2040_RESET_UART1 = 1u << 23,
    RP2040_RESET_ALL = 0x01FFFFFFu,
};

/* 2.15 clocks: ten generators */
struct rp2040_clock {
    rp2040_reg ctrl, div, selected;
};
enum rp2040_clock_index {
    RP2040_CLK_REF = 4,
    RP2040_CLK_SYS = 5,
    RP2040_CLK_PERI = 6,
    RP2040_CLK_USB = 7,
    RP2040_CLK_ADC = 8,
};
struct rp2040_clocks {
    struct rp2040_clock clk[10];
    rp2040_reg resus_ctrl;
};
#define RP2040_CLOCK_ENABLE (1u << 11)

/* 2.16 crystal oscillator */
struct rp2040_xosc {
    rp2040_reg ctrl, status, dormant, startup;
};

/* 2.18 phase-locked loops */
struct rp2040_pll {
    rp2040_reg cs, pwr, fbdiv_int, prim;
};

/* 2.19 GPIO */
struct rp2040_io_pin {
    rp2040_reg status, ctrl;
};
struct rp2040_io_irq {
    rp2040_reg inte[4], intf[4], ints[4]; /* four bits a pin, eight pins a register */
};
struct rp2040_io_bank0 {
    struct rp2040_io_pin pin[30];
    rp2040_reg intr[4];
    struct rp2040_io_irq proc0, proc1;
};
enum rp2040_function {
    RP2040_FUNCTION_SPI = 1,
    RP2040_FUNCTION_UART = 2,
    RP2040_FUNCTION_I2C = 3,
    RP2040_FUNCTION_PWM = 4,
    RP2040_FUNCTION_SIO = 5,
    RP2040_FUNCTION_NONE = 31,
};

/* The flash's pins; of their controls only what the output is overridden by is used. */
struct rp2040_io_qspi {
    struct rp2040_io_pin pin[6];
};
#define RP2040_QSPI_SELECT 1

struct rp2040_pads_bank0 {
    rp2040_reg voltage, pad[30];
};
enum rp2040_pad_bit {
    RP2040_PAD_SCHMITT = 1u << 1,
    RP2040_PAD_PULL_DOWN = 1u << 2,
    RP2040_PAD_PULL_UP = 1u << 3,
    RP2040_PAD_DRIVE_4MA = 1u << 4,
    RP2040_PAD_INPUT = 1u << 6,
    RP2040_PAD_NO_OUTPUT = 1u << 7,
};

/* 2.3.1 single-cycle I/O */
struct rp2040_sio {
    rp2040_reg cpuid, gpio_in, gpio_hi_in, unused;
    rp2040_reg gpio_out, gpio_out_set, gpio_out_clr, gpio_out_xor;
    rp2040_reg gpio_oe, gpio_oe_set, gpio_oe_clr, gpio_oe_xor;
};

/* 4.2 UART (PL011) */
struct rp2040_uart {
    rp2040_reg dr, rsr, unused0[4], fr, unused1, ilpr, ibrd, fbrd, lcr_h, cr, ifls, imsc, ris, mis,
        icr;
};

/* 4.3 I2C (DW_apb_i2c) */
struct rp2040_i2c {
    rp2040_reg con, tar, sar, unused0, data_cmd, ss_hcnt, ss_lcnt, fs_hcnt, fs_lcnt, unused1[2];
    rp2040_reg intr_stat, intr_mask, raw_intr_stat, rx_tl, tx_tl, clr_intr, clr_rx_under;
    rp2040_reg clr_rx_over, clr_tx_over, clr_rd_req, clr_tx_abrt, clr_rx_done, clr_activity;
    rp2040_reg clr_stop_det, clr_start_det, clr_gen_call, enable, status, txflr, rxflr, sda_hold;
    rp2040_reg tx_abrt_source, slv_data_nack_only, dma_cr, dma_tdlr, dma_rdlr, sda_setup;
    rp2040_reg ack_general_call, enable_status, fs_spklen;
};

/* 4.4 SPI (PL022) */
struct rp2040_spi {
    rp2040_reg cr0, cr1, dr, sr, cpsr, imsc, ris, mis, icr, dmacr;
};

/* 4.5 PWM */
struct rp2040_pwm_slice {
    rp2040_reg csr, div, ctr, cc, top;
};
struct rp2040_pwm {
    struct rp2040_pwm_slice slice[8];
    rp2040_reg en;
};

/* 4.6 timer */
struct rp2040_timer {
    rp2040_reg timehw, timelw, timehr, timelr, alarm[4], armed, timerawh, timerawl, dbgpause, pause,
        intr, inte, intf, ints;
};

/* 4.7 watchdog */
struct rp2040_watchdog {
    rp2040_reg ctrl, load, reason, scratch[8], tick;
};

/* 4.9 ADC */
struct rp2040_adc {
    rp2040_reg cs, result;
};

/* 4.10 serial interface of the flash (DW_apb_ssi) */
struct rp2040_ssi {
    rp2040_reg ctrlr0, ctrlr1, ssienr, mwcr, ser, baudr, txftlr, rxftlr, txflr, rxflr, sr;
    rp2040_reg unused[13], dr0;
};

#define RP2040_CLOCKS     ((struct rp2040_clocks *)0x40008000u)
#define RP2040_RESETS     ((struct rp2040_resets *)0x4000C000u)
#define RP2040_IO_BANK0   ((struct rp2040_io_bank0 *)0x40014000u)
#define RP2040_IO_QSPI    ((struct rp2040_io_qspi *)0x40018000u)
#define RP2040_PADS_BANK0 ((struct rp2040_pads_bank0 *)0x4001C000u)
#define RP2040_XOSC       ((struct rp2040_xosc *)0x40024000u)
#define RP2040_PLL_SYS    ((struct rp2040_pll *)0x40028000u)
#define RP2040_PLL_USB    ((struct rp2040_pll *)0x4002C000u)
#define RP2040_UART0      ((struct rp2040_uart *)0x40034000u)
#define RP2040_UART1      ((struct rp2040_uart *)0x40038000u)
#define RP2040_SPI0       ((struct rp2040_spi *)0x4003C000u)
#define RP2040_SPI1       ((struct rp2040_spi *)0x40040000u)
#define RP2040_I2C0       ((struct rp2040_i2c *)0x40044000u)
#define RP2040_I2C1       ((struct rp2040_i2c *)0x40048000u)
#define RP2040_ADC        ((struct rp2040_adc *)0x4004C000u)
#define RP2040_PWM        ((struct rp2040_pwm *)0x40050000u)
#define RP2040_TIMER      ((struct rp2040_timer *)0x40054000u)
#define RP2040_WATCHDOG   ((struct rp2040_watchdog *)0x40058000u)
#define RP2040_SSI        ((struct rp2040_ssi *)0x18000000u)
#define RP2040_SIO        ((struct rp2040_sio *)0xD0000000u)

/* Interrupt numbers (2.3.2) */
enum rp2040_irq {
    RP2040_IRQ_TIMER0 = 0,
    RP2040_IRQ_TIMER1 = 1,
    RP2040_IRQ_TIMER2 = 2,
    RP2040_IRQ_TIMER3 = 3,
    RP2040_IRQ_IO_BANK0 = 13,
    RP2040_IRQ_SPI0 = 18,
    RP2040_IRQ_SPI1 = 19,
    RP2040_IRQ_UART0 = 20,
    RP2040_IRQ_UART1 = 21,
    RP2040_IRQ_I2C0 = 23,
    RP2040_IRQ_I2C1 = 24,
};

#define RP2040_PINS   30u
#define RP2040_SYS_HZ 125000000u /* what rp2040_clocks_start() sets */

/* Takes blocks out of reset and waits for them; those already running are left alone. */
static inline void rp2040_release(uint32_t blocks)
{
    RP2040_CLR(RP2040_RESETS->reset) = blocks;
    while (~RP2040_RESETS->reset_done & blocks) {
    }
}

/* Hands a pin to a block (2.19.2). */
static inline void rp2040_pin_function(uint8_t pin, enum rp2040_function function)
{
    RP2040_IO_BANK0->pin[pin].ctrl = function;
}

/*
 * Enables an interrupt at a priority, 0 (first) to 3. Interrupts off or the source silent: the
 * priority register of ARMv6-M is word-accessed only, so this is a read-modify-write.
 */
static inline void rp2040_irq_enable(enum rp2040_irq irq, uint32_t priority)
{
    rp2040_reg *ipr = (rp2040_reg *)(0xE000E400u + ((uint32_t)irq & ~3u));
    uint32_t shift = ((uint32_t)irq & 3u) * 8u + 6u;
    *ipr = (*ipr & ~(3u << shift)) | priority << shift;
    *(rp2040_reg *)0xE000E280u = 1u << irq; /* drop what was pending */
    *(rp2040_reg *)0xE000E100u = 1u << irq;
}

/* Drops one that is pending; its source is silent by now. Either context. */
static inline void rp2040_irq_drop(enum rp2040_irq irq)
{
    *(rp2040_reg *)0xE000E280u = 1u << irq;
}

/* Makes an interrupt pending as if its source had asked. Either context. */
static inline void rp2040_irq_pend(enum rp2040_irq irq)
{
    *(rp2040_reg *)0xE000E200u = 1u << irq;
}

/* The crystal, both PLLs, every clock and the microsecond tick, from any state
 * (drivers/clock/rp2040_clocks.c). Before main, interrupts off. */
void rp2040_clocks_start(void);

/* The kernel clock and its alarm (drivers/clock/rp2040.c). After rp2040_clocks_start(). */
void rp2040_timer_start(void);

#endif
