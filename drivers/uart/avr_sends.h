/*
 * The interrupt of sending. One byte of several, with no thread to wake, is moved here, in 70
 * cycles, which the interrupted thread pays for. All else is uart_serve()'s. Private to
 * drivers/uart.
 */
#ifndef TAKT_UART_AVR_SENDS_H
#define TAKT_UART_AVR_SENDS_H

#include <stddef.h>

#include "avr.h"
#include "hardware.h"
#include "ports.h"

#define AVR_USART_SENDS(vector, port, status, number, irq)                                         \
    AVR_USART_SENDS_(vector, port, status, number, irq)

/* Its text comes out beside the function that has it, once. */
/* clang-format off */
#define AVR_USART_SENDS_(vector, port, status, number, irq)                                        \
    void port##_sends(void) __attribute__((used, noinline, noclone));                              \
    PORT_VECTOR_(port##_slow, #port "_sends");                                                     \
    void port##_sends(void)                                                                        \
    {                                                                                              \
        __asm__ volatile(".pushsection .text." #vector ",\"ax\",@progbits\n\t"                     \
                         ".global " #vector "\n\t.type " #vector ", @function\n" #vector ":\n\t"   \
                         "push r24\n\tin r24, __SREG__\n\tpush r24\n\t"                            \
                         "push r25\n\tpush r30\n\tpush r31\n\t"                                    \
                         "lds r25, " #port "+%[head]\n\tlds r30, " #port "+%[tail]\n\t"            \
                         "sub r25, r30\n\tcpi r25, 2\n\tbrlo 3f\n\t" /* held */                    \
                         "ldi r24, %[size]+1\n\tsub r24, r25\n\t" /* free, after this one */       \
                         "lds r31, " #port "+%[wanted]\n\ttst r31\n\tbreq 1f\n\t"                 \
                         "cp r24, r31\n\tbrsh 3f\n"                                               \
                         "1:\tmov r24, r30\n\tandi r24, %[size]-1\n\tinc r30\n\t"                 \
                         "sts " #port "+%[tail], r30\n\t"                                         \
                         "lds r30, " #port "+%[cell]\n\tlds r31, " #port "+%[cell]+1\n\t"          \
                         "add r30, r24\n\tbrcc 2f\n\tinc r31\n"                                  \
                         "2:\tld r24, Z\n\tldi r25, %[none]\n\tsts %[at], r25\n\t"                \
                         "sts %[at]+6, r24\n\t"                                                   \
                         "pop r31\n\tpop r30\n\tpop r25\n\tpop r24\n\t"                          \
                         "out __SREG__, r24\n\tpop r24\n\treti\n"                                \
                         "3:\tpop r31\n\tpop r30\n\tpop r25\n\tpop r24\n\t"                       \
                         "out __SREG__, r24\n\tpop r24\n\tjmp " #port "_slow\n\t"                 \
                         ".size " #vector ", .-" #vector "\n\t.popsection"                         \
                         ::[head] "i"(offsetof(struct uart_port, tx.head)),                        \
                         [tail] "i"(offsetof(struct uart_port, tx.tail)),                          \
                         [cell] "i"(offsetof(struct uart_port, tx.cell)),                          \
                         [wanted] "i"(offsetof(struct uart_port, wanted)),                         \
                         [size] "i"(TAKT_UART_TX_SIZE), [none] "i"(1u << U2X0 | 1u << TXC0),       \
                         [at] "i"(_SFR_MEM_ADDR(status)));                                         \
        uart_serve(number, irq);                                                                   \
    }
/* clang-format on */

#endif
