/*
 * UART of the nRF51 (reference manual 29): one byte at a time on the way out, six on the way in.
 *
 * TXDRDY says that the byte in TXD has left and is the only sign of it, so a byte may be sent when
 * none is on its way or the event has come.
 */
#include <takt/gpio.h>
#include <takt/uart.h>

#include "../nrf51/nrf51.h"
#include "hardware.h"

enum {
    PIN_TX = 24,
    PIN_RX = 25,
    ENABLED = 4,
    CONFIG_EVEN_PARITY = 7 << 1,
    INT_TXD_READY = 1 << 7,
    NO_PIN = -1,
};

static bool sending; /* a byte was written to TXD and its event has not been cleared */

bool uart_hw_possible(const struct uart_frame *f)
{
    return f->baud >= 1200 && f->baud <= 1000000 && f->data_bits == 8 && f->stop_bits == 1 &&
           (f->parity == TAKT_PARITY_NONE || f->parity == TAKT_PARITY_EVEN);
}

/* baud * 2^32 / 16 MHz; the register has its upper 20 bits. */
static uint32_t divisor(uint32_t baud)
{
    return ((uint32_t)(((uint64_t)baud << 32) / 16000000u) + 0x800u) & 0xFFFFF000u;
}

void nrf51_uart_start(const struct uart_frame *frame)
{
    struct nrf51_uart *hw = NRF51_UART0;
    hw->enable = 0;
    hw->intenclr = 0xFFFFFFFFu;
    (void)takt_gpio_write(PIN_TX, true);
    (void)takt_gpio_mode(PIN_TX, TAKT_GPIO_OUTPUT);
    (void)takt_gpio_mode(PIN_RX, TAKT_GPIO_INPUT_PULLUP); /* an open line is silent */
    hw->pin_tx = PIN_TX;
    hw->pin_rx = PIN_RX;
    hw->pin_rts = hw->pin_cts = (uint32_t)NO_PIN;
    hw->baud = divisor(frame->baud);
    hw->config = frame->parity == TAKT_PARITY_EVEN ? CONFIG_EVEN_PARITY : 0;
    hw->rxd_ready = hw->txd_ready = hw->error = 0;
    hw->error_source = hw->error_source;
    sending = false;
    hw->enable = ENABLED;
    hw->start_tx = 1;
    hw->start_rx = 1;
}

void uart_hw_stop(uint8_t port)
{
    (void)port;
    NRF51_UART0->intenclr = 0xFFFFFFFFu;
    NRF51_UART0->stop_tx = 1;
    NRF51_UART0->stop_rx = 1;
    NRF51_UART0->enable = 0;
    (void)takt_gpio_mode(PIN_TX, TAKT_GPIO_INPUT);
    (void)takt_gpio_mode(PIN_RX, TAKT_GPIO_INPUT);
}

bool uart_hw_can_send(uint8_t port)
{
    (void)port;
    return !sending || NRF51_UART0->txd_ready;
}

void uart_hw_send(uint8_t port, struct byte_ring *from, unsigned most)
{
    for (; most > 0 && ring_held(from) > 0 && uart_hw_can_send(port); most--) {
        NRF51_UART0->txd_ready = 0;
        NRF51_UART0->txd = ring_take(from);
        sending = true;
    }
}

bool uart_hw_busy(uint8_t port)
{
    return !uart_hw_can_send(port);
}

void uart_hw_tell_sent(uint8_t port, bool tell)
{
    (void)port;
    if (tell)
        NRF51_UART0->intenset = INT_TXD_READY;
    else
        NRF51_UART0->intenclr = INT_TXD_READY;
}

uint16_t uart_hw_receive(uint8_t port, struct byte_ring *to)
{
    uint16_t lost = 0;
    (void)port;
    while (NRF51_UART0->rxd_ready) {
        NRF51_UART0->rxd_ready = 0; /* first: it comes again when a byte moves up */
        uint32_t wrong = NRF51_UART0->error_source;
        NRF51_UART0->error_source = wrong;
        uint8_t byte = (uint8_t)NRF51_UART0->rxd;
        if (wrong || ring_free(to) == 0)
            lost++;
        else
            ring_put(to, byte);
    }
    return lost;
}
