/*
 * Registers of the nRF51822 that the drivers use (nRF51 Series Reference Manual 3.0). Writing 1 to
 * a task starts it; an event stays 1 until 0 is written.
 */
#ifndef TAKT_NRF51_H
#define TAKT_NRF51_H

#include <stdint.h>

typedef volatile uint32_t nrf51_reg;
#define NRF51_GAP(from, to) [((to) - (from)) / 4]

enum {
    NRF51_PINS = 31,
    NRF51_IRQ_UART0 = 2,
    NRF51_IRQ_TIMER0 = 8,
};

/* Clock (12) */
struct nrf51_clock {
    nrf51_reg hfclk_start;
    nrf51_reg gap0 NRF51_GAP(0x004, 0x100);
    nrf51_reg hfclk_started;
};
#define NRF51_CLOCK ((struct nrf51_clock *)0x40000000u)

/* Timer (18) */
struct nrf51_timer {
    nrf51_reg start, stop, count, clear;
    nrf51_reg gap0 NRF51_GAP(0x010, 0x040);
    nrf51_reg capture[4];
    nrf51_reg gap1 NRF51_GAP(0x050, 0x140);
    nrf51_reg compare[4];
    nrf51_reg gap2 NRF51_GAP(0x150, 0x304);
    nrf51_reg intenset, intenclr;
    nrf51_reg gap3 NRF51_GAP(0x30C, 0x504);
    nrf51_reg mode, bitmode;
    nrf51_reg gap4 NRF51_GAP(0x50C, 0x510);
    nrf51_reg prescaler;
    nrf51_reg gap5 NRF51_GAP(0x514, 0x540);
    nrf51_reg cc[4];
};
#define NRF51_TIMER0 ((struct nrf51_timer *)0x40008000u)
enum { NRF51_TIMER_32_BIT = 3, NRF51_TIMER_INT_COMPARE0 = 1 << 16 };
enum { NRF51_TIMER_ALARM, NRF51_TIMER_NOW }; /* compare and capture registers of the clock */

/* UART (29) */
struct nrf51_uart {
    nrf51_reg start_rx, stop_rx, start_tx, stop_tx;
    nrf51_reg gap0 NRF51_GAP(0x010, 0x108);
    nrf51_reg rxd_ready;
    nrf51_reg gap1 NRF51_GAP(0x10C, 0x11C);
    nrf51_reg txd_ready;
    nrf51_reg gap2 NRF51_GAP(0x120, 0x124);
    nrf51_reg error;
    nrf51_reg gap3 NRF51_GAP(0x128, 0x304);
    nrf51_reg intenset, intenclr;
    nrf51_reg gap4 NRF51_GAP(0x30C, 0x480);
    nrf51_reg error_source;
    nrf51_reg gap5 NRF51_GAP(0x484, 0x500);
    nrf51_reg enable;
    nrf51_reg gap6 NRF51_GAP(0x504, 0x508);
    nrf51_reg pin_rts, pin_tx, pin_cts, pin_rx, rxd, txd;
    nrf51_reg gap7 NRF51_GAP(0x520, 0x524);
    nrf51_reg baud;
    nrf51_reg gap8 NRF51_GAP(0x528, 0x56C);
    nrf51_reg config;
};
#define NRF51_UART0 ((struct nrf51_uart *)0x40002000u)

/* GPIO (14) */
struct nrf51_gpio {
    nrf51_reg gap0 NRF51_GAP(0x000, 0x504);
    nrf51_reg out, outset, outclr, in, dir, dirset, dirclr;
    nrf51_reg gap1 NRF51_GAP(0x520, 0x700);
    nrf51_reg pin_cnf[32];
};
#define NRF51_GPIO ((struct nrf51_gpio *)0x50000000u)
enum {
    NRF51_PIN_OUTPUT = 1 << 0, /* its input connected as well */
    NRF51_PIN_NO_INPUT = 1 << 1,
    NRF51_PIN_PULL_DOWN = 1 << 2,
    NRF51_PIN_PULL_UP = 3 << 2,
};

/* Enables an interrupt at a priority 0..3, 0 the highest. */
static inline void nrf51_irq_enable(unsigned irq, unsigned priority)
{
    nrf51_reg *ipr = (nrf51_reg *)(0xE000E400u + (irq & ~3u));
    unsigned shift = (irq & 3u) * 8u + 6u;
    *ipr = (*ipr & ~(3u << shift)) | priority << shift;
    *(nrf51_reg *)0xE000E100u = 1u << irq;
}

/* Makes an interrupt pending. */
static inline void nrf51_irq_pend(unsigned irq)
{
    *(nrf51_reg *)0xE000E200u = 1u << irq;
}

/* clock/nrf51.c: the kernel's clock starts to run. */
void nrf51_timer_start(void);

/* uart/nrf51.c: as uart_hw_start(), but nothing interrupts. Any context. */
struct uart_frame;
void nrf51_uart_start(const struct uart_frame *frame);

#endif
