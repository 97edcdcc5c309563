/*
 * The parts of the port that are one or two instructions, for inlining (see takt/port.h).
 */
#ifndef TAKT_PORT_INLINE_H
#define TAKT_PORT_INLINE_H

#include <takt/types.h>

#define PORT_IRQ_INLINE 1
#define PORT_ISR_STACK  __takt_isr_stack_start /* its lowest word, by the link script */
/* Between the stack of the interrupts and those of the threads, by which sem.S tells them apart. */
#define PORT_CORE __attribute__((section(".takt.core")))
/* kernel/dispatch.c links dispatch.S, which replaces what is weak in preempt.S. */
#define PORT_NEEDS_DISPATCH __asm__(".globl port_dispatch_linked")

extern uint32_t __takt_isr_stack_start[];

static inline __attribute__((always_inline)) port_irq_t port_irq_save(void)
{
    port_irq_t state;
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(state)::"memory");
    return state;
}

static inline __attribute__((always_inline)) void port_irq_restore(port_irq_t state)
{
    if (__builtin_constant_p(state) && state == 0)
        __asm__ volatile("cpsie i" ::: "memory");
    else
        __asm__ volatile("msr primask, %0" ::"r"(state) : "memory");
}

static inline __attribute__((always_inline)) bool port_in_isr(void)
{
    uint32_t number;
    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    return number != 0;
}

static inline __attribute__((always_inline)) void *port_thread_sp(void)
{
    void *sp;
    __asm__ volatile("mrs %0, psp" : "=r"(sp));
    return sp;
}

#endif
