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
 * Calls work(irq, why) on the interrupts' stack, which is empty while a thread runs, and returns
 * what that does. Interrupt handlers may come in above it; a preemption will not be asked for. So
 * what the kernel does between threads takes stack once instead of in each. A port without a stack
 * for interrupts simply calls it. Thread context, interrupts off before and after.
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

/*
 * A finer counter, of PORT_FINE parts of a us, as true as the clock: budgets are accounted by both
 * (kernel/budget/use.h). port_fine() counts up, wraps at PORT_FINE_BITS
 * bits, and begins where the clock is (port_fine_start(); with 32 bits anywhere). Defined in
 * port_config.h or by the board, where the port or a driver of the clock has one:
 *
 *   PORT_FINE, PORT_FINE_BITS    and port_fine_start() and port_fine(), inline or not
 *   PORT_NOTES_BACK              and port_fine_resumed(): the count where the thread went on to
 *                                which takt_preempt() has returned since port_fine_resumes(),
 *                                called with interrupts off; has it so far?
 *   PORT_NOTES_ENTRY             and port_fine_entered(): the count where the outermost handler
 *                                began
 *   PORT_ENTRY                   parts from the interrupt to there, else to where takt_isr_enter()
 *                                reads
 *   PORT_EXIT                    from where takt_isr_exit() reads to the thread's next instruction
 *   PORT_BACK                    from the note of PORT_NOTES_BACK to that
 *   PORT_HELD_UP                 what unlocking a mutex takes more of the caller's time if another
 *                                thread, which it had held up, runs before it returns
 *
 * PORT_SHORT_STACKS, 1 or not defined: threads' stacks and flash are dear, and the dispatcher does
 * every switch (kernel/budget/dispatch.c).
 *
 * The four from PORT_ENTRY on are constants of the code and of the chip, measured
 * (tests/judge/test_preemption.py); 0 where not defined.
 */
#if defined(PORT_FINE) && !defined(PORT_FINE_INLINE)
uint32_t port_fine(void);
void port_fine_start(takt_time_t now);
#endif
#if defined(PORT_NOTES_BACK) && !defined(PORT_FINE_INLINE)
uint32_t port_fine_entered(void);
uint32_t port_fine_resumed(void);
void port_fine_resumes(void);
bool port_has_resumed(void);
#endif

/* One-shot: takt_alarm_isr() is to run at `at`; at once when that is past or now. Replaces the
 * previous alarm. Interrupts off. */
void port_alarm(takt_time_t at);

/* Stops for good, visibly to a debugger; all CPUs. Interrupts off. */
void port_halt(void) __attribute__((noreturn));

/* Writes a part of a fatal error's line on the console, by polling; port_halt() follows the last.
 * Interrupts off. In a file of its own where programs that have no console are to do without. */
void port_fatal(const char *text);

/* The kernel's answer to port_switch_from_isr(): thread context, interrupts off. */
void takt_preempt(void);

#if PORT_CPUS > 1
/*
 * Several CPUs (port_config.h: PORT_CPUS, the most there can be). Above and in what follows
 * "interrupts off" means this CPU's, and the kernel's lock held (takt/kernel_lock.h):
 *
 *   port_irq_save()     this CPU's interrupts off, and the lock, unless the CPU holds it: a
 *                       handler, in which interrupts are off anyway, takes it all the same
 *   port_irq_restore()  back to what that found: it gives the lock away, switches on, or both. 0:
 *                       both
 *   port_stack_init()   a thread's first step is port_irq_restore(0), and then entry(arg)
 *   takt_preempt()      is called with the lock held, and returns so
 *   port_idle()         gives the lock away before it sleeps, takes it again when it has woken; a
 *                       kick that comes in between ends the sleep
 *   port_alarm()        this CPU's own timer; port_now() is one clock for all: what a CPU reads
 *                       after another has given the lock away is not before what that read
 *   port_halt()         and port_fatal(), before it prints, stop all other CPUs, whatever they do
 *
 * port_start() is not used: each CPU comes to its first thread by port_switch(), from the stack it
 * was started on, which is not that of port_on_isr_stack() and never needed again.
 *
 * In port_inline.h: PORT_IRQ_INLINE's functions, and
 *   uint8_t port_cpu(void)   index of the CPU that runs this; the one that boots is 0. The same
 *                            whenever a thread asks, as threads stay where they are
 *   void port_relax(void)    in loops that wait for another CPU
 *   port_irq_t port_local_save(void), void port_local_restore(port_irq_t)
 *                            this CPU's interrupts only, not the lock: what spinlocks want. Nothing
 *                            that may be held when the kernel is called is taken inside the kernel
 */

/* How many CPUs there are, 1..PORT_CPUS; from port_init() on. Any context. */
uint8_t port_cpus(void);

/* Lets CPU `cpu`, 1..port_cpus() - 1, set itself up (interrupt tables, its timer) and call
 * takt_cpu_main(), on a stack of its own, interrupts off in the CPU and the lock not held. CPU 0,
 * interrupts off; returns when the other has left the code and the stack that it shares with
 * further ones, without waiting for what takt_cpu_main() does. TAKT_ETIMEOUT: it does not answer.
 */
int port_cpu_start(uint8_t cpu);

/* An interrupt on another CPU, whose handler is takt_kick_isr(). It may merge with one that is
 * pending. Any context, interrupts off. */
void port_kick(uint8_t cpu);

/* CPU `cpu` has come to life; see port_cpu_start(). */
void takt_cpu_main(void) __attribute__((noreturn));

/* The handler of kicks calls this, bracketed by itself. Interrupt context. */
void takt_kick_isr(void);
#endif

#ifdef __cplusplus
}
#endif

#endif
