/*
 * Setting up a PL011 of the RP2040: divisor, frame, pins.
 */
#include <takt/gpio.h>
#include <takt/uart.h>

#include "pl011.h"

enum {
    LCR_PARITY = 1u << 1,
    LCR_EVEN = 1u << 2,
    LCR_TWO_STOP = 1u << 3,
    LCR_FIFO = 1u << 4,
    LCR_BITS_SHIFT = 5,
    CR_TX = 1u << 8,
    CR_RX = 1u << 9,
};

static const struct {
    uint8_t tx, rx;
} pins[] = {{0, 1}, {4, 5}};

/* The divisor in 64ths: clock / (16 * baud), rounded. */
static uint32_t divisor64(uint32_t baud)
{
    return (8u * RP2040_SYS_HZ / baud + 1u) / 2u;
}

bool pl011_possible(uint32_t baud, uint8_t data_bits, uint8_t parity, uint8_t stop_bits)
{
    return baud != 0 && baud <= RP2040_SYS_HZ / 16u && divisor64(baud) >> 6 <= 0xFFFFu &&
           data_bits >= 5 && data_bits <= 8 && parity <= TAKT_PARITY_EVEN && stop_bits >= 1 &&
           stop_bits <= 2;
}

static uint32_t frame(uint8_t data_bits, uint8_t parity, uint8_t stop_bits)
{
    uint32_t lcr = LCR_FIFO | (uint32_t)(data_bits - 5u) << LCR_BITS_SHIFT;
    if (parity != TAKT_PARITY_NONE)
        lcr |= LCR_PARITY;
    if (parity == TAKT_PARITY_EVEN)
        lcr |= LCR_EVEN;
    if (stop_bits == 2)
        lcr |= LCR_TWO_STOP;
    return lcr;
}

void pl011_start(uint8_t port, uint32_t baud, uint8_t data_bits, uint8_t parity, uint8_t stop_bits)
{
    struct rp2040_uart *hw = pl011_at(port);
    uint32_t block = port == 0 ? RP2040_RESET_UART0 : RP2040_RESET_UART1;
    uint32_t divisor = divisor64(baud);

    RP2040_SET(RP2040_RESETS->reset) = block;
    rp2040_release(block);
    hw->ibrd = divisor >> 6;
    hw->fbrd = divisor & 0x3Fu;
    hw->lcr_h = frame(data_bits, parity, stop_bits); /* also latches the divisor */
    hw->ifls = 0;                                    /* interrupt at 4 received, 4 left to send */
    hw->cr = PL011_CR_ENABLE | CR_TX | CR_RX;

    (void)takt_gpio_mode(pins[port].rx, TAKT_GPIO_INPUT_PULLUP); /* an open line is silent */
    (void)takt_gpio_mode(pins[port].tx, TAKT_GPIO_INPUT_PULLUP);
    rp2040_pin_function(pins[port].rx, RP2040_FUNCTION_UART);
    rp2040_pin_function(pins[port].tx, RP2040_FUNCTION_UART);
}

void pl011_stop(uint8_t port)
{
    struct rp2040_uart *hw = pl011_at(port);
    hw->imsc = 0;
    hw->cr = 0;
    (void)takt_gpio_mode(pins[port].tx, TAKT_GPIO_INPUT);
    (void)takt_gpio_mode(pins[port].rx, TAKT_GPIO_INPUT);
}
