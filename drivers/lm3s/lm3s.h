/*
 * Registers of the LM3S6965 that the drivers use (Stellaris LM3S6965 data sheet, 2014).
 */
#ifndef TAKT_LM3S_H
#define TAKT_LM3S_H

#include <nvic.h>

typedef volatile uint32_t lm3s_reg;
#define LM3S_GAP(from, to) [((to) - (from)) / 4]

#define LM3S_HZ  50000000u
#define LM3S_MHZ (LM3S_HZ / 1000000u)

enum {
    LM3S_IRQ_UART0 = 5,
    LM3S_IRQ_UART1 = 6,
    LM3S_IRQ_TIMER0A = 19,
};

/* System control (5) */
struct lm3s_sysctl {
    lm3s_reg gap0 LM3S_GAP(0x000, 0x050);
    lm3s_reg ris, imc, misc, resc, rcc;
    lm3s_reg gap1 LM3S_GAP(0x064, 0x100);
    lm3s_reg rcgc[3];
};
#define LM3S_SYSCTL ((struct lm3s_sysctl *)0x400FE000u)

/* General-purpose timer (9), as one of 32 bits */
struct lm3s_timer {
    lm3s_reg cfg, tamr, tbmr, ctl;
    lm3s_reg gap0 LM3S_GAP(0x010, 0x018);
    lm3s_reg imr, ris, mis, icr, tailr;
};
#define LM3S_TIMER0 ((struct lm3s_timer *)0x40030000u)

/* SysTick (3.1.1) */
struct lm3s_systick {
    lm3s_reg ctrl, reload, current;
};
#define LM3S_SYSTICK ((struct lm3s_systick *)0xE000E010u)

/* UART (12), an ARM PL011 */
struct lm3s_uart {
    lm3s_reg dr, rsr;
    lm3s_reg gap0 LM3S_GAP(0x008, 0x018);
    lm3s_reg fr;
    lm3s_reg gap1 LM3S_GAP(0x01C, 0x024);
    lm3s_reg ibrd, fbrd, lcrh, ctl, ifls, im, ris, mis, icr;
};
#define LM3S_UART(n) ((struct lm3s_uart *)(0x4000C000u + 0x1000u * (n)))
enum { LM3S_UART_BUSY = 1 << 3, LM3S_UART_TX_FULL = 1 << 5, LM3S_UART_ENABLE = 1 };

/* GPIO (8): bits 2..9 of the address of `data` say which pins an access is about */
struct lm3s_gpio {
    lm3s_reg data[256];
    lm3s_reg dir;
    lm3s_reg gap0 LM3S_GAP(0x404, 0x420);
    lm3s_reg afsel;
    lm3s_reg gap1 LM3S_GAP(0x424, 0x510);
    lm3s_reg pur, pdr;
    lm3s_reg gap2 LM3S_GAP(0x518, 0x51C);
    lm3s_reg den;
};

/* clock/lm3s.c: the kernel's clock starts to run. */
void lm3s_timer_start(void);

/* gpio/lm3s.c: gives a pin to the block that shares it. */
void lm3s_pin_function(uint8_t pin);

/* uart/lm3s.c: as uart_hw_start(), but nothing interrupts. Any context. */
struct uart_frame;
void lm3s_uart_start(uint8_t port, const struct uart_frame *frame);

#endif
