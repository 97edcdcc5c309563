/*
 * Registers of Arm's CMSDK peripherals and of the FPGA I/O block of an MPS2 board that the drivers
 * use (Application Note AN386; Cortex-M System Design Kit TRM).
 */
#ifndef TAKT_CMSDK_H
#define TAKT_CMSDK_H

#include <nvic.h>

typedef volatile uint32_t cmsdk_reg;

#define CMSDK_HZ  25000000u
#define CMSDK_MHZ (CMSDK_HZ / 1000000u)

enum {
    CMSDK_IRQ_UART0_RX = 0, /* and behind it that of sending, then those of UART1 */
    CMSDK_IRQ_TIMER0 = 8,
};

/* Timer: counts down, interrupts at 0, stops there when `reload` is 0 */
struct cmsdk_timer {
    cmsdk_reg ctrl, value, reload, intclear;
};
#define CMSDK_TIMER0 ((struct cmsdk_timer *)0x40000000u)
enum { CMSDK_TIMER_RUN = 1, CMSDK_TIMER_INT = 8 };

/* UART without FIFOs */
struct cmsdk_uart {
    cmsdk_reg data, state, ctrl, intclear, bauddiv;
};
#define CMSDK_UART(n) ((struct cmsdk_uart *)(0x40004000u + 0x1000u * (n)))
enum {
    CMSDK_UART_TX_FULL = 1,
    CMSDK_UART_RX_FULL = 2,
    CMSDK_UART_RX_OVERRUN = 8,
    CMSDK_UART_TX = 1, /* of ctrl */
    CMSDK_UART_RX = 2,
    CMSDK_UART_TX_INT = 4,
    CMSDK_UART_RX_INT = 8,
};

/* Of receiving; that of sending is the next. */
static inline unsigned cmsdk_uart_irq(uint8_t port)
{
    return CMSDK_IRQ_UART0_RX + 2u * port;
}

/* FPGA I/O: `counter` counts up once every `prescale` + 1 cycles */
struct mps2_fpgaio {
    cmsdk_reg led, gap0, button, gap1, clk1hz, clk100hz, counter, prescale;
};
#define MPS2_FPGAIO ((struct mps2_fpgaio *)0x40028000u)

/* Serial configuration controller: eight more LEDs */
#define MPS2_SCC_LEDS (*(cmsdk_reg *)0x4002F004u)

/* clock/cmsdk.c: the kernel's clock starts to run. */
void cmsdk_timer_start(void);

/* uart/cmsdk.c: as uart_hw_start(), but nothing interrupts. Any context. */
struct uart_frame;
void cmsdk_uart_start(uint8_t port, const struct uart_frame *frame);

#endif
