/*
 * USART1 and USART2 of the STM32F0 (RM0091 chapter 27): no FIFO, a byte in the shift register and
 * one waiting either way. So there is an interrupt for each byte, and one must be taken within the
 * time of a byte.
 *
 * The interrupt of sending stands as long as tdr is empty; it is unmasked while serial.c has bytes
 * or a thread waits for room.
 */
#include <takt/uart.h>

#include "stm32f0.h"

enum {
    CR1_TELL_RECEIVED = 1u << 5,
    CR1_TELL_EMPTY = 1u << 7,
    CR1_SEVEN_MASK = 5u << 10, /* parity, nine bits */
    CR1_SEVEN = 1u << 10,      /* 7 bits, and parity in bit 7 */
    ISR_GARBLED = 7u,          /* parity, framing, noise */
    ISR_OVERRUN = 1u << 3,
    ISR_RECEIVED = 1u << 5,
};

/* Words have 8 bits, or 9 with parity among them; 7 bits only with parity. */
bool uart_hw_possible(const struct uart_frame *f)
{
    unsigned word = f->data_bits + (f->parity != TAKT_PARITY_NONE ? 1u : 0u);
    return f->baud != 0 && f->baud <= STM32F0_SYS_HZ / 16u &&
           stm32f0_usart_divisor(f->baud) <= 0xFFFFu && f->data_bits <= 8 &&
           (word == 8 || word == 9) && f->parity <= TAKT_PARITY_EVEN && f->stop_bits >= 1 &&
           f->stop_bits <= 2;
}

void uart_hw_start(uint8_t port, const struct uart_frame *frame)
{
    stm32f0_usart_start(port, frame);
    stm32f0_usart(port)->cr1 |= CR1_TELL_RECEIVED;
    stm32f0_irq_enable(port == 0 ? STM32F0_IRQ_USART1 : STM32F0_IRQ_USART2, 2);
}

void uart_hw_stop(uint8_t port)
{
    stm32f0_usart(port)->cr1 = 0;
    stm32f0_usart_pins(port, STM32F0_INPUT, STM32F0_NO_PULL);
}

void uart_hw_send(uint8_t port, struct byte_ring *from, unsigned most)
{
    struct stm32f0_usart *hw = stm32f0_usart(port);
    for (; most > 0 && ring_held(from) != 0 && (hw->isr & STM32F0_USART_EMPTY); most--)
        hw->tdr = ring_take(from);
}

bool uart_hw_sent_one(uint8_t port, struct byte_ring *from)
{
    struct stm32f0_usart *hw = stm32f0_usart(port);
    uint32_t is = hw->isr & (STM32F0_USART_EMPTY | ISR_RECEIVED | ISR_OVERRUN);
    if (is != STM32F0_USART_EMPTY || ring_held(from) < 2u)
        return false;
    hw->tdr = ring_take(from);
    return true;
}

bool uart_hw_can_send(uint8_t port)
{
    return stm32f0_usart(port)->isr & STM32F0_USART_EMPTY;
}

bool uart_hw_busy(uint8_t port)
{
    return !(stm32f0_usart(port)->isr & STM32F0_USART_SENT);
}

void uart_hw_tell_sent(uint8_t port, bool tell)
{
    struct stm32f0_usart *hw = stm32f0_usart(port);
    hw->cr1 = tell ? hw->cr1 | CR1_TELL_EMPTY : hw->cr1 & ~(uint32_t)CR1_TELL_EMPTY;
}

uint16_t uart_hw_receive(uint8_t port, struct byte_ring *to)
{
    struct stm32f0_usart *hw = stm32f0_usart(port);
    uint32_t mask = (hw->cr1 & CR1_SEVEN_MASK) == CR1_SEVEN ? 0x7Fu : 0xFFu;
    uint16_t lost = 0;
    for (uint32_t is; (is = hw->isr) & (ISR_RECEIVED | ISR_OVERRUN);) {
        uint8_t byte = (uint8_t)(hw->rdr & mask);
        hw->icr = is & (ISR_OVERRUN | ISR_GARBLED);
        if (is & ISR_OVERRUN) /* this byte is good, one after it was dropped */
            lost++;
        if (!(is & ISR_RECEIVED))
            continue;
        if ((is & ISR_GARBLED) || ring_free(to) == 0)
            lost++;
        else
            ring_put(to, byte);
    }
    return lost;
}

void isr_usart1(void)
{
    uart_serve(0, STM32F0_IRQ_USART1);
}

void isr_usart2(void)
{
    uart_serve(1, STM32F0_IRQ_USART2);
}
