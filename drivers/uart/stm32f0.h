/*
 * What the console needs of the USART beside hardware.h: to set a port up without interrupts.
 */
#ifndef TAKT_UART_STM32F0_H
#define TAKT_UART_STM32F0_H

#include "../stm32f0/stm32f0.h"
#include "hardware.h"

enum {
    STM32F0_USART_ON = 1u << 0,    /* cr1 */
    STM32F0_USART_SENT = 1u << 6,  /* isr: nothing on its way out */
    STM32F0_USART_EMPTY = 1u << 7, /* isr: tdr takes a byte */
};

static inline struct stm32f0_usart *stm32f0_usart(uint8_t port)
{
    return port == 0 ? STM32F0_USART1 : STM32F0_USART2;
}

static inline uint32_t stm32f0_usart_divisor(uint32_t baud)
{
    return (STM32F0_SYS_HZ + baud / 2u) / baud;
}

void stm32f0_usart_pins(uint8_t port, unsigned mode, enum stm32f0_pull pull);

/* As uart_hw_start(), but nothing interrupts. Any context. */
void stm32f0_usart_start(uint8_t port, const struct uart_frame *frame);

#endif
