/*
 * Port to x86-64. The clock and the alarm are in drivers/clock; switching in switch.S, interrupts
 * in vectors.S and irq.c.
 *
 * The kernel and the drivers are built without SSE: what a thread has in those registers, only an
 * interrupt and a preemption have to save. Nothing here uses the 128 bytes below a stack pointer,
 * but prebuilt libraries do.
 */
#include <takt/port.h>
#include <takt/thread.h>

#include "page.h"
#include "x86.h"

enum { SWITCHED_WORDS = 8, GUARDED = 4 * PAGE };

extern void port_thread_entry(void);

void port_init(void) {}

/* A page that is not there, above the kernel's word, in stacks with room for it. Returns the page,
 * or what lies there without being one. */
static uintptr_t guard(char *stack, const char *stack_end)
{
    uintptr_t page = ((uintptr_t)stack + sizeof(uint64_t) + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    if ((uintptr_t)stack_end - page >= GUARDED)
        (void)page_guard((const void *)page);
    return page;
}

/* What port_switch() saves: see switch.S. The entry is called with the stack as the ABI has it. */
void *port_stack_init(char *stack, char *stack_end, void (*entry)(void *), void *arg)
{
    uint64_t *end = (uint64_t *)((uintptr_t)stack_end & ~(uintptr_t)15);
    uint64_t *frame = end - SWITCHED_WORDS;
    frame[0] = START_MXCSR | (uint64_t)START_FCW << 32;
    frame[3] = guard(stack, stack_end); /* r13 */
    frame[4] = (uintptr_t)arg;   /* r12 */
    frame[5] = (uintptr_t)entry; /* rbx */
    frame[6] = 0;                /* rbp: the end of the chain, for debuggers */
    frame[7] = (uintptr_t)port_thread_entry;
    return frame;
}

/* A thread's first step. */
void port_let_in(void) __attribute__((used));
void port_let_in(void)
{
    port_irq_restore(0);
}

/* From port_preempted (switch.S), whose iretq lets interrupts in. */
void port_preempt_thread(void) __attribute__((used));
void port_preempt_thread(void)
{
    port_irq_t irq = port_irq_save();
    if (irq == 0)
        takt_fatal(TAKT_FATAL_ASSERT, takt_self(), "preempted with interrupts on");
    takt_preempt();
    port_irq_restore(irq);
}

/* An interrupt is let in only when hlt has begun, which it ends. */
void port_idle(void)
{
    PORT_UNLOCK();
    __asm__ volatile("sti\n\thlt\n\tcli" ::: "memory");
    PORT_LOCK();
}

void port_switch_from_isr(void)
{
    __asm__ volatile("movb $1, %%gs:%c0" ::"i"(CPU_PREEMPT) : "memory");
}

__attribute__((noinline, section(".text.stops"))) void port_halt(void)
{
    x86_stop_others();
    for (;;)
        __asm__ volatile("cli\n\thlt");
}
