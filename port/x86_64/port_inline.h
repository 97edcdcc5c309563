/*
 * The parts of the port that are a few instructions, for inlining (see takt/port.h).
 *
 * The state of an interrupt lock has bit 0 set where interrupts were off already, and bit 1 where
 * the CPU held the kernel's lock already.
 */
#ifndef TAKT_PORT_INLINE_H
#define TAKT_PORT_INLINE_H

#include <takt/types.h>

#include "layout.h"

#define PORT_IRQ_INLINE 1

#ifdef __cplusplus
extern "C" {
#endif

void *port_thread_sp(void);
uint8_t port_cpus(void);

static inline __attribute__((always_inline)) uint8_t port_cpu(void)
{
    uint8_t index;
    __asm__ volatile("movb %%gs:%c1, %0" : "=q"(index) : "i"(CPU_INDEX));
    return index;
}

static inline __attribute__((always_inline)) void port_relax(void)
{
    __asm__ volatile("pause" ::: "memory");
}

/* Nothing of a caller lies below its stack pointer: all is built with -mno-red-zone. */
static inline __attribute__((always_inline)) port_irq_t port_local_save(void)
{
    port_irq_t flags;
    __asm__ volatile("pushfq\n\tpopq %0\n\tcli" : "=r"(flags)::"memory");
    return !(flags & FLAG_IF);
}

static inline __attribute__((always_inline)) void port_local_restore(port_irq_t state)
{
    if (!(state & 1u))
        __asm__ volatile("sti" ::: "memory");
    else
        __asm__ volatile("" ::: "memory");
}

static inline __attribute__((always_inline)) bool port_in_isr(void)
{
    uint8_t handling;
    __asm__ volatile("movb %%gs:%c1, %0" : "=q"(handling) : "i"(CPU_HANDLING));
    return handling != 0;
}

#ifdef __cplusplus
}
#endif

#if PORT_CPUS > 1
#include <takt/kernel_lock.h>

#define PORT_LOCKED   takt_kernel_lock_mine()
#define PORT_LOCK()   takt_kernel_lock_take()
#define PORT_UNLOCK() takt_kernel_lock_give()
#define PORT_SEIZE()  __atomic_store_n(&takt_kernel_lock.owner, port_cpu(), __ATOMIC_SEQ_CST)
#else
#define PORT_LOCKED   true
#define PORT_LOCK()   ((void)0)
#define PORT_UNLOCK() ((void)0)
#define PORT_SEIZE()  ((void)0)
#endif

static inline __attribute__((always_inline)) port_irq_t port_irq_save(void)
{
    port_irq_t state = port_local_save();
    if (PORT_LOCKED)
        return PORT_CPUS > 1 ? state | 2u : state;
    PORT_LOCK();
    return state;
}

static inline __attribute__((always_inline)) void port_irq_restore(port_irq_t state)
{
    if (!(state & 2u))
        PORT_UNLOCK();
    port_local_restore(state);
}

#endif
