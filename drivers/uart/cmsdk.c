/*
 * CMSDK UART: one byte either way, interrupts when a byte has come and when the one to send has
 * begun to leave.
 *
 * The latter is raised by the buffer becoming free while the interrupt is enabled. Where it had
 * become free before that, nothing would come, so it is pended by hand.
 */
#include <takt/uart.h>

#include "../cmsdk/cmsdk.h"
#include "hardware.h"

bool uart_hw_possible(const struct uart_frame *f)
{
    return f->baud != 0 && f->baud <= CMSDK_HZ / 16u && CMSDK_HZ / f->baud <= 0xFFFFFu &&
           f->data_bits == 8 && f->parity == TAKT_PARITY_NONE && f->stop_bits == 1;
}

void cmsdk_uart_start(uint8_t port, const struct uart_frame *frame)
{
    struct cmsdk_uart *hw = CMSDK_UART(port);
    hw->ctrl = 0;
    hw->intclear = 0xF;
    hw->bauddiv = (CMSDK_HZ + frame->baud / 2u) / frame->baud;
    hw->ctrl = CMSDK_UART_TX | CMSDK_UART_RX;
}

void uart_hw_stop(uint8_t port)
{
    CMSDK_UART(port)->ctrl = 0;
}

bool uart_hw_can_send(uint8_t port)
{
    return !(CMSDK_UART(port)->state & CMSDK_UART_TX_FULL);
}

void uart_hw_send(uint8_t port, struct byte_ring *from, unsigned most)
{
    for (; most > 0 && ring_held(from) > 0 && uart_hw_can_send(port); most--)
        CMSDK_UART(port)->data = ring_take(from);
}

bool uart_hw_busy(uint8_t port)
{
    return !uart_hw_can_send(port);
}

/* Interrupts off, or the port's own. */
void uart_hw_tell_sent(uint8_t port, bool tell)
{
    struct cmsdk_uart *hw = CMSDK_UART(port);
    if (!tell) {
        hw->ctrl &= ~(uint32_t)CMSDK_UART_TX_INT;
        return;
    }
    hw->ctrl |= CMSDK_UART_TX_INT;
    if (uart_hw_can_send(port))
        nvic_pend(cmsdk_uart_irq(port) + 1);
}

uint16_t uart_hw_receive(uint8_t port, struct byte_ring *to)
{
    struct cmsdk_uart *hw = CMSDK_UART(port);
    uint16_t lost = 0;
    while (hw->state & CMSDK_UART_RX_FULL) {
        if (hw->state & CMSDK_UART_RX_OVERRUN) {
            hw->state = CMSDK_UART_RX_OVERRUN;
            lost++;
        }
        uint8_t byte = (uint8_t)hw->data;
        if (ring_free(to) == 0)
            lost++;
        else
            ring_put(to, byte);
    }
    return lost;
}
