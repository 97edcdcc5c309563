/*
 * Setting up a USART of the STM32F0, which the console needs, too.
 */
#include <takt/uart.h>

#include "../gpio/stm32f0_pins.h"
#include "../stm32f0/start.h"
#include "stm32f0.h"

STM32F0_START_ADD(usart1, 20, STM32F0_RCC->apb2enr, STM32F0_APB2_USART1);
STM32F0_START_ADD(usart2, 20, STM32F0_RCC->apb1enr, STM32F0_APB1_USART2);

enum {
    CR1_RX = 1u << 2,
    CR1_TX = 1u << 3,
    CR1_ODD = 1u << 9,
    CR1_PARITY = 1u << 10,
    CR1_NINE_BITS = 1u << 12, /* parity included */
    CR2_TWO_STOP = 2u << 12,
    FUNCTION = 1, /* of all four pins */
};

static const struct {
    uint8_t tx, rx;
} pins[UART_PORTS] = {{STM32F0_PIN('A', 9), STM32F0_PIN('A', 10)},
                      {STM32F0_PIN('A', 2), STM32F0_PIN('A', 3)}};

void stm32f0_usart_pins(uint8_t port, unsigned mode, enum stm32f0_pull pull)
{
    stm32f0_pin_set(pins[port].rx, mode, pull, FUNCTION);
    stm32f0_pin_set(pins[port].tx, mode, pull, FUNCTION);
}

static uint32_t format(const struct uart_frame *f)
{
    uint32_t cr1 = STM32F0_USART_ON | CR1_TX | CR1_RX;
    if (f->parity != TAKT_PARITY_NONE)
        cr1 |= CR1_PARITY;
    if (f->parity == TAKT_PARITY_ODD)
        cr1 |= CR1_ODD;
    if (f->parity != TAKT_PARITY_NONE && f->data_bits == 8)
        cr1 |= CR1_NINE_BITS;
    return cr1;
}

void stm32f0_usart_start(uint8_t port, const struct uart_frame *frame)
{
    struct stm32f0_usart *hw = stm32f0_usart(port);
    hw->cr1 = 0; /* also empties it */
    hw->brr = stm32f0_usart_divisor(frame->baud);
    hw->cr2 = frame->stop_bits == 2 ? (uint32_t)CR2_TWO_STOP : 0;
    hw->cr1 = format(frame);
    stm32f0_usart_pins(port, STM32F0_ALTERNATE, STM32F0_PULL_UP); /* an open line is silent */
}
