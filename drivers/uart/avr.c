/*
 * USART of an ATmega (ATmega328P data sheet 20): a byte in the shift register and one waiting on
 * the way out, two on the way in. So there is an interrupt for each byte.
 *
 * The interrupt of sending stands as long as the data register is empty; it is unmasked while
 * serial.c has bytes or a thread waits for room. Most of the time it has one byte to move and
 * no thread to wake: it does that by itself (avr_sends.h).
 */
#include <takt/port.h>
#include <takt/uart.h>

#include "avr_sends.h"
#include "hardware.h"

#define GARBLED ((uint8_t)(1u << FE0 | 1u << UPE0))

static uint8_t sending; /* bit n: port n has sent, and `status` says whether that is out */

static inline __attribute__((always_inline)) uint8_t bit_of(uint8_t port)
{
    return (uint8_t)(1u << (ONLY_PORT ? 0 : port));
}

/* At double speed there are eight clocks a bit. */
static uint32_t divisor(uint32_t baud)
{
    return (F_CPU / 8 + baud / 2) / baud - 1u;
}

bool uart_hw_possible(const struct uart_frame *f)
{
    return f->baud != 0 && f->baud <= F_CPU / 8 && divisor(f->baud) <= 4095u &&
           f->data_bits >= 5 && f->data_bits <= 8 && f->parity <= TAKT_PARITY_EVEN &&
           f->stop_bits >= 1 && f->stop_bits <= 2;
}

void uart_hw_start(uint8_t port, const struct uart_frame *frame)
{
    static const uint8_t parities[] = {
        [TAKT_PARITY_NONE] = 0, [TAKT_PARITY_ODD] = 3, [TAKT_PARITY_EVEN] = 2};
    struct avr_usart *hw = avr_usart(port);
    hw->control = 0;
    hw->divisor = (uint16_t)divisor(frame->baud);
    hw->status = 1u << U2X0 | 1u << TXC0;
    hw->frame = (uint8_t)((unsigned)parities[frame->parity] << UPM00 |
                          (frame->stop_bits - 1u) << USBS0 |
                          (frame->data_bits - 5u) << UCSZ00);
    sending &= (uint8_t)~bit_of(port);
    hw->control = 1u << RXEN0 | 1u << TXEN0 | 1u << RXCIE0;
}

void uart_hw_stop(uint8_t port)
{
    avr_usart(port)->control = 0;
}

static inline __attribute__((always_inline)) void put(uint8_t port, uint8_t byte)
{
    struct avr_usart *hw = avr_usart(port);
    hw->status = 1u << U2X0 | 1u << TXC0; /* forgets that all is out */
    hw->data = byte;
    sending |= bit_of(port);
}

static inline __attribute__((always_inline)) bool can_send(uint8_t port)
{
    return avr_usart(port)->status & (1u << UDRE0);
}

void uart_hw_send(uint8_t port, struct byte_ring *from, unsigned most)
{
    for (uint8_t left = (uint8_t)most; left > 0 && ring_held(from) != 0 && can_send(port); left--)
        put(port, ring_take(from));
}

bool uart_hw_sent_one(uint8_t port, struct byte_ring *from)
{
    uint8_t is = avr_usart(port)->status & (1u << UDRE0 | 1u << RXC0 | 1u << DOR0);
    if (is != 1u << UDRE0 || ring_held(from) < 2u)
        return false;
    put(port, ring_take(from));
    return true;
}

bool uart_hw_can_send(uint8_t port)
{
    return can_send(port);
}

bool uart_hw_busy(uint8_t port)
{
    return (sending & bit_of(port)) && !(avr_usart(port)->status & (1u << TXC0));
}

void uart_hw_tell_sent(uint8_t port, bool tell)
{
    struct avr_usart *hw = avr_usart(port);
    hw->control = (uint8_t)(tell ? hw->control | 1u << UDRIE0 : hw->control & ~(1u << UDRIE0));
}

uint16_t uart_hw_receive(uint8_t port, struct byte_ring *to)
{
    struct avr_usart *hw = avr_usart(port);
    uint16_t lost = 0;
    for (uint8_t is; (is = hw->status) & (1u << RXC0);) {
        uint8_t byte = hw->data;
        if (is & (1u << DOR0)) /* this byte is good, one after it was dropped */
            lost++;
        if ((is & GARBLED) || ring_free(to) == 0)
            lost++;
        else
            ring_put(to, byte);
    }
    return lost;
}

AVR_ISR(AVR_USART0_RX)
{
    uart_serve(0, AVR_USART0_IRQ);
}

AVR_USART_SENDS(AVR_USART0_UDRE_vect, takt_uart_port0, UCSR0A, 0, AVR_USART0_IRQ)
