/*
 * The parts of the port that are one or two instructions, for inlining (see takt/port.h).
 */
#ifndef TAKT_PORT_INLINE_H
#define TAKT_PORT_INLINE_H

#include <takt/types.h>

#define PORT_IRQ_INLINE 1
/* A thread's last words are said on the stack of the interrupts: its own may be too small. In a
 * handler it is there already, and the write has no effect. */
#define PORT_LAST_STACK      __asm__ volatile("msr control, %0\n\tisb" ::"r"(0) : "memory")
#define PORT_LAST_STACK_CALL __attribute__((noinline))
#define PORT_ISR_STACK  __takt_isr_stack_start /* its lowest word, by the link script */
/* Between the stack of the interrupts and those of the threads, by which sem.S tells them apart. */
#define PORT_CORE __attribute__((section(".takt.core")))

extern uint32_t __takt_isr_stack_start[];

/* SysTick counts the CPU's cycles down, 24 bits, without an interrupt, on boards that say so. */
#ifdef PORT_FINE
#define PORT_FINE_INLINE 1
#define PORT_FINE_BITS   24
#define PORT_SYSTICK     ((volatile uint32_t *)0xE000E010u) /* control, reload, current */

/* Begins with what is loaded, and so counts what the clock reads. */
static inline void port_fine_start(uint32_t now)
{
    PORT_SYSTICK[1] = (0u - now * PORT_FINE) & 0xFFFFFFu;
    PORT_SYSTICK[2] = 0;
    PORT_SYSTICK[0] = 5; /* the CPU's clock, on */
    PORT_SYSTICK[1] = 0xFFFFFFu;
}

static inline __attribute__((always_inline)) uint32_t port_fine(void)
{
    return 0u - PORT_SYSTICK[2];
}

/* The way back from a preemption ends with an SVC, which notes the counter: preempt.S. */
#define PORT_NOTES_BACK 1
extern uint32_t port_resumed;

static inline uint32_t port_fine_resumed(void)
{
    return 0u - port_resumed;
}

static inline void port_fine_resumes(void)
{
    port_resumed = 0xFFFFFFFFu; /* SysTick has 24 bits */
}

static inline bool port_has_resumed(void)
{
    return port_resumed != 0xFFFFFFFFu;
}
#endif

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
