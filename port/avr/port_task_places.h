/*
 * What kernel/job/task.h takes from the port where tasks run alone: the rank in a register that is
 * an instruction away, the number of tasks as the constant it is.
 */
#ifndef TAKT_PORT_TASK_PLACES_H
#define TAKT_PORT_TASK_PLACES_H

#include <avr/interrupt.h>
#include <avr/io.h>

#include <takt/task.h>

#define PORT_TASK_RANK    GPIOR2
#define PORT_IRQ_OFF()    cli()
#define PORT_TASK_COUNT() port_task_count()

/* Links task_look.c, rather than what tasks beside threads have. */
#if TAKT_TASK_BITS == 8
#define PORT_TASK_LOOK_ALONE __asm__(".globl takt_task_look_8")
#else
#define PORT_TASK_LOOK_ALONE __asm__(".globl takt_task_look")
#endif

/* A handler in assembler text, at the top of a file. */
#define PORT_TASK_VECTOR(vector, text)  PORT_TASK_VECTOR_(vector, text)
#define PORT_TASK_VECTOR_(vector, text)                                                            \
    __asm__(".pushsection .text." #vector ",\"ax\",@progbits\n\t.global " #vector                  \
            "\n\t.type " #vector ", @function\n" #vector ":\n\t" text                              \
            "\n\t.size " #vector ", . - " #vector "\n\t.popsection")

static inline __attribute__((always_inline)) uint8_t port_task_count(void)
{
    uint8_t count;
    __asm__("ldi %0, lo8(__takt_task_count)" : "=d"(count));
    return count;
}

#endif
