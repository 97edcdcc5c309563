/*
 * The interrupts of port 1, where the chip has it.
 */
#include <takt/port.h>

#include "avr_sends.h"
#include "hardware.h"

PORT_ISR(USART1_RX)
{
    uart_serve(1, USART1_RX_vect_num);
}

AVR_USART_SENDS(USART1_UDRE_vect, takt_uart_port1, UCSR1A, 1, USART1_RX_vect_num)
