/*
 * The port interface: all that the kernel needs of a CPU and its timer. port/template holds an
 * empty one and says how to fill it.
 */
#ifndef TAKT_PORT_H
#define TAKT_PORT_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef PORT_IRQ
#define PORT_IRQ uintptr_t /* port_config.h */
#endif
typedef PORT_IRQ port_irq_t;

/* A port may offer those marked (inline) in port_inline.h of its folder. */
#if defined(__has_include)
#if __has_include(<port_inline.h>)
#include <port_inline.h>
#endif
#endif

/* Attributes of takt_core, where a port has to say in which section it lies (port_inline.h). */
#ifndef PORT_CORE
#define PORT_CORE
#endif

/* What a port has beside kernel/dispatch.c in the place of its own dispatcher, by a symbol that links
 * it (port_inline.h). */
#ifndef PORT_NEEDS_DISPATCH
#define PORT_NEEDS_DISPATCH _Static_assert(1, "")
#endif

/* Before the first thread: exception priorities, and whatever port_now() needs. */
void port_init(void);

/* Prepares a stack so that the first switch to it calls entry(arg), interrupts enabled; entry
 * returning must reach takt_thread_exit(). Returns the stack pointer to load. */
void *port_stack_init(char *stack, char *stack_end, void (*entry)(void *), void *arg);

/* Leaves main for the first thread. Interrupts are off; never returns. */
void port_start(void *sp) __attribute__((noreturn));

/* Switches threads voluntarily: saves callee-saved registers and the stack pointer to *save,
 * loads `load`. Thread context, interrupts off before and after. */
void port_switch(void **save, void *load);

/*
 * Calls work(irq, why) on the interrupts' stack, which is empty while a thread runs, and returns what
 * that does. Interrupt handlers may come in above it; a preemption will not be asked for. So what the
 * kernel does between threads takes stack once instead of in each. A port without a stack for
 * interrupts simply calls it. Thread context, interrupts off before and after.
 */
uint32_t port_on_isr_stack(uint32_t (*work)(port_irq_t irq, uint32_t why), port_irq_t irq,
                           uint32_t why);

/* Asks for takt_preempt() to be called, as if by the interrupted thread, when all handlers are
 * done. Interrupt context. */
void port_switch_from_isr(void);

/* (inline) Interrupts off, returning the previous state, 0 meaning on; and back to it. Nestable.
 * (inline) Is the caller an interrupt handler?
 * (inline) The stack pointer of the thread that runs or on whose stack the CPU idles. */
#ifndef PORT_IRQ_INLINE
port_irq_t port_irq_save(void);
void port_irq_restore(port_irq_t state);
bool port_in_isr(void);
void *port_thread_sp(void);
#endif

/* Sleeps until an interrupt has been taken. Called and returns with interrupts off; pending
 * handlers run inside. */
void port_idle(void);

/* The clock in us; must not go back. */
takt_time_t port_now(void);

/* One-shot: takt_alarm_isr() is to run at `at`; at once when that is past or now. Replaces the
 * previous alarm. Interrupts off. */
void port_alarm(takt_time_t at);

/* Stops for good, visibly to a debugger. Interrupts off. */
void port_halt(void) __attribute__((noreturn));

/* Writes the line on the console by polling, then port_halt(). In a file of its own where programs
 * that have no console are to do without. */
void port_fatal(const char *line) __attribute__((noreturn));

/* The kernel's answer to port_switch_from_isr(): thread context, interrupts off. */
void takt_preempt(void);

#ifdef __cplusplus
}
#endif

#endif
