/*
 * The interrupts of port 1, where the chip has it.
 */
#include <takt/port.h>

#include "avr.h"
#include "hardware.h"

PORT_ISR(USART1_RX)
{
    uart_serve(1, USART1_RX_vect_num);
}

PORT_ISR(USART1_UDRE)
{
    uart_serve(1, USART1_RX_vect_num);
}
