/*
 * UARTs by the names of the pico's SDK. A port is Serial's (uart0) and Serial1's, or the program's
 * own: which is up to the sketch. What waits here keeps the loop busy, on its budget. Interrupts
 * are those of Serial.
 */
#ifndef TAKT_HARDWARE_UART_H
#define TAKT_HARDWARE_UART_H

#include <hardware/clocks.h>
#include <hardware/regs/dreq.h>
#include <hardware/resets.h>
#include <hardware/structs/uart.h>
#include <hardware/timer.h>

typedef struct uart_inst uart_inst_t;

#define NUM_UARTS 2u
#define uart0     ((uart_inst_t *)uart0_hw)
#define uart1     ((uart_inst_t *)uart1_hw)

typedef enum { UART_PARITY_NONE, UART_PARITY_EVEN, UART_PARITY_ODD } uart_parity_t;

#define UART_FUNCSEL_NUM(uart, gpio) GPIO_FUNC_UART

static inline uart_hw_t *uart_get_hw(uart_inst_t *uart)
{
    return (uart_hw_t *)uart;
}

static inline uint uart_get_index(uart_inst_t *uart)
{
    return uart == uart1;
}

static inline uart_inst_t *uart_get_instance(uint n)
{
    return n == 0 ? uart0 : uart1;
}

static inline uint uart_get_dreq_num(uart_inst_t *uart, bool is_tx)
{
    return (uart == uart0 ? DREQ_UART0_TX : DREQ_UART1_TX) + (is_tx ? 0u : 1u);
}

/* For settings: the PL011 takes them while it is off and what was on its way is over, which has no
 * flag for what it receives. A frame has 12 bits at most; 15 are waited. Whether it was on. */
static inline bool takt_uart_off_(uart_inst_t *uart)
{
    uart_hw_t *hw = uart_get_hw(uart);
    bool on = (hw->cr & UART_UARTCR_UARTEN_BITS) != 0;
    uint32_t bit = hw->ibrd * 64u + hw->fbrd; /* in quarters of a period of clk_peri */
    hw_clear_bits(&hw->cr, UART_UARTCR_UARTEN_BITS);
    if (on)
        busy_wait_us_32(15u * bit / (clock_get_hz(clk_peri) / 250000u) + 1u);
    return on;
}

/* On again, if it was. Those of the divider are taken over with a write of LCR_H. */
static inline void takt_uart_lcr_(uart_inst_t *uart, uint32_t values, uint32_t mask, bool on)
{
    uart_hw_t *hw = uart_get_hw(uart);
    hw->lcr_h = (hw->lcr_h & ~mask) | values;
    if (on)
        hw_set_bits(&hw->cr, UART_UARTCR_UARTEN_BITS);
}

/* In 64ths of 16 periods of the clock; gives the baud rate there is. */
static inline uint uart_set_baudrate(uart_inst_t *uart, uint baudrate)
{
    uint32_t hz = clock_get_hz(clk_peri), parts = (hz * 4u + baudrate / 2u) / baudrate;
    bool on = takt_uart_off_(uart);
    parts = parts < 64u ? 64u : parts > 65535u * 64u ? 65535u * 64u : parts;
    uart_get_hw(uart)->ibrd = parts / 64u;
    uart_get_hw(uart)->fbrd = parts % 64u;
    takt_uart_lcr_(uart, 0, 0, on);
    return hz * 4u / parts;
}

static inline void uart_set_format(uart_inst_t *uart, uint data_bits, uint stop_bits,
                                   uart_parity_t parity)
{
    uint32_t even = parity == UART_PARITY_EVEN ? UART_UARTLCR_H_EPS_BITS : 0u;
    uint32_t format = (data_bits - 5u) << UART_UARTLCR_H_WLEN_LSB |
                      (stop_bits == 2u ? UART_UARTLCR_H_STP2_BITS : 0u) |
                      (parity != UART_PARITY_NONE ? UART_UARTLCR_H_PEN_BITS | even : 0u);
    takt_uart_lcr_(uart, format,
                   UART_UARTLCR_H_WLEN_BITS | UART_UARTLCR_H_STP2_BITS | UART_UARTLCR_H_PEN_BITS |
                       UART_UARTLCR_H_EPS_BITS,
                   takt_uart_off_(uart));
}

static inline void uart_set_fifo_enabled(uart_inst_t *uart, bool enabled)
{
    takt_uart_lcr_(uart, enabled ? UART_UARTLCR_H_FEN_BITS : 0u, UART_UARTLCR_H_FEN_BITS,
                   takt_uart_off_(uart));
}

static inline void uart_set_hw_flow(uart_inst_t *uart, bool cts, bool rts)
{
    hw_write_masked(&uart_get_hw(uart)->cr,
                    (cts ? UART_UARTCR_CTSEN_BITS : 0u) | (rts ? UART_UARTCR_RTSEN_BITS : 0u),
                    UART_UARTCR_CTSEN_BITS | UART_UARTCR_RTSEN_BITS);
}

static inline uint32_t takt_uart_reset_(uart_inst_t *uart)
{
    return uart == uart0 ? RESETS_RESET_UART0_BITS : RESETS_RESET_UART1_BITS;
}

/* Eight bits, one stop bit, with FIFOs, which ask for DMA. */
static inline uint uart_init(uart_inst_t *uart, uint baudrate)
{
    reset_block(takt_uart_reset_(uart));
    unreset_block_wait(takt_uart_reset_(uart));
    uint found = uart_set_baudrate(uart, baudrate);
    uart_set_format(uart, 8, 1, UART_PARITY_NONE);
    uart_set_fifo_enabled(uart, true);
    uart_get_hw(uart)->cr = UART_UARTCR_UARTEN_BITS | UART_UARTCR_TXE_BITS | UART_UARTCR_RXE_BITS;
    uart_get_hw(uart)->dmacr = UART_UARTDMACR_TXDMAE_BITS | UART_UARTDMACR_RXDMAE_BITS;
    return found;
}

static inline void uart_deinit(uart_inst_t *uart)
{
    reset_block(takt_uart_reset_(uart));
}

static inline bool uart_is_enabled(uart_inst_t *uart)
{
    return (uart_get_hw(uart)->cr & UART_UARTCR_UARTEN_BITS) != 0;
}

static inline bool uart_is_writable(uart_inst_t *uart)
{
    return (uart_get_hw(uart)->fr & UART_UARTFR_TXFF_BITS) == 0;
}

static inline bool uart_is_readable(uart_inst_t *uart)
{
    return (uart_get_hw(uart)->fr & UART_UARTFR_RXFE_BITS) == 0;
}

static inline void uart_tx_wait_blocking(uart_inst_t *uart)
{
    while ((uart_get_hw(uart)->fr & UART_UARTFR_BUSY_BITS) != 0) {
    }
}

static inline void uart_putc_raw(uart_inst_t *uart, char c)
{
    while (!uart_is_writable(uart)) {
    }
    uart_get_hw(uart)->dr = (uint8_t)c;
}

static inline void uart_putc(uart_inst_t *uart, char c)
{
    uart_putc_raw(uart, c);
}

static inline void uart_puts(uart_inst_t *uart, const char *text)
{
    for (; *text != 0; text++)
        uart_putc(uart, *text);
}

static inline void uart_write_blocking(uart_inst_t *uart, const uint8_t *from, size_t n)
{
    for (size_t k = 0; k < n; k++)
        uart_putc_raw(uart, (char)from[k]);
}

static inline char uart_getc(uart_inst_t *uart)
{
    while (!uart_is_readable(uart)) {
    }
    return (char)uart_get_hw(uart)->dr;
}

static inline void uart_read_blocking(uart_inst_t *uart, uint8_t *to, size_t n)
{
    for (size_t k = 0; k < n; k++)
        to[k] = (uint8_t)uart_getc(uart);
}

#endif
