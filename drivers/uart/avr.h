/*
 * The USART's registers, of which some ATmegas have two. Private to drivers/.
 */
#ifndef TAKT_UART_AVR_H
#define TAKT_UART_AVR_H

#include <avr/io.h>
#include <stdint.h>

#include <takt/port.h>

struct avr_usart {
    volatile uint8_t status, control, frame;
    const uint8_t none;
    volatile uint16_t divisor;
    volatile uint8_t data;
};

#ifdef TAKT_UART_PORTS
#define ONLY_PORT (TAKT_UART_PORTS == 1)
#else
#define ONLY_PORT 0
#endif

static inline __attribute__((always_inline)) struct avr_usart *avr_usart(uint8_t port)
{
    return (struct avr_usart *)(uintptr_t)(_SFR_MEM_ADDR(UCSR0A) + (ONLY_PORT ? 0 : 8u * port));
}

/* The names of port 0's interrupts, which are different where it is the only one. */
#ifdef USART_RX_vect
#define AVR_USART0_RX   USART_RX
#define AVR_USART0_UDRE_vect USART_UDRE_vect
#define AVR_USART0_IRQ  USART_RX_vect_num
#else
#define AVR_USART0_RX   USART0_RX
#define AVR_USART0_UDRE_vect USART0_UDRE_vect
#define AVR_USART0_IRQ  USART0_RX_vect_num
#endif

#define AVR_ISR(source) PORT_ISR(source) /* for those names */

#endif
