/*
 * What the kernel's types are on AVR: as narrow as an 8-bit core wants them (takt/config.h).
 */
#ifndef TAKT_PORT_CONFIG_H
#define TAKT_PORT_CONFIG_H

#include <stdint.h>

#define TAKT_PLACES 8
#ifndef TAKT_TASK_BITS
#define TAKT_TASK_BITS 16
#endif
#if TAKT_TASK_BITS == 8 /* by the program's choice (board/avr/chip.cmake) */
#define TAKT_TASK_NAME_(name) __asm__(#name "_8")
#define TAKT_TASKS_ALONE_ 1
#endif
#define PORT_IRQ    uint8_t
#define PORT_SHORT_STACKS 1 /* no switch is done on a thread's: kernel/budget/dispatch.c */

/* Timer1, the clock's, counts eighths of the CPU's cycles. Both instants are noted in switch.S;
 * what lies around them, in these parts, is measured. */
#define PORT_FINE        (F_CPU / 8000000ul)
#define PORT_FINE_BITS   16
#define PORT_NOTES_ENTRY 1
#define PORT_NOTES_BACK  1
#define PORT_ENTRY       10
#define PORT_EXIT        20
#define PORT_BACK        3
#define PORT_HELD_UP     42

/* Handlers run with interrupts off: one nests in another only if that switches them on, and no
 * third that calls the kernel in both. */
#define TAKT_ISR_NESTING 2

/* For takt/set.h: shifts are one bit an instruction here. 1 << place, place below 8. */
#define PORT_SET_OF 1
static inline __attribute__((always_inline)) uint8_t port_set_of(uint8_t place)
{
    uint8_t bit;
    if (__builtin_constant_p(place))
        return (uint8_t)(1u << place);
    __asm__("ldi %0, 1\n\t"
            "sbrc %1, 1\n\tldi %0, 4\n\t"
            "sbrc %1, 0\n\tlsl %0\n\t"
            "sbrc %1, 2\n\tswap %0"
            : "=&d"(bit)
            : "r"(place));
    return bit;
}

/* Number of the lowest bit set; a function in switch.S that takes no other register. */
static inline __attribute__((always_inline)) uint8_t port_set_first(uint8_t set)
{
    register uint8_t first __asm__("r24") = set;
    __asm__("call port_set_first" : "+r"(first) : : "r25");
    return first;
}

#endif
