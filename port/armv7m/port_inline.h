/*
 * The parts of the port that are one or two instructions, for inlining (see takt/port.h), and the
 * priorities of interrupts.
 *
 *   below TAKT_IRQ_PRIORITY      never held up by the kernel; their handlers must not call it
 *   TAKT_IRQ_PRIORITY and above  the drivers'; off while the kernel's lock is held
 *   0xFF                         PendSV
 *
 * Priorities are the NVIC's, in the upper bits of a byte, 0 the most urgent. At TAKT_CHECKS every
 * entry of the kernel looks whether its caller may be there.
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

#ifndef TAKT_IRQ_PRIORITY
#define TAKT_IRQ_PRIORITY 0x40u
#endif

#if TAKT_CHECKS
#ifdef __cplusplus
extern "C"
#endif
    void
    port_check_caller(void);
#define PORT_CHECK_CALLER() port_check_caller()
#else
#define PORT_CHECK_CALLER() ((void)0)
#endif

/* BASEPRI is raised and lowered only here and in port_idle(), so its old value is all the state. */
extern uint32_t __takt_isr_stack_start[];

static inline __attribute__((always_inline)) port_irq_t port_irq_save(void)
{
    port_irq_t state;
    PORT_CHECK_CALLER();
    __asm__ volatile("mrs %0, basepri" : "=r"(state)::"memory");
    __asm__ volatile("msr basepri, %0" ::"r"(TAKT_IRQ_PRIORITY) : "memory");
    return state;
}

static inline __attribute__((always_inline)) void port_irq_restore(port_irq_t state)
{
    __asm__ volatile("msr basepri, %0" ::"r"(state) : "memory");
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
