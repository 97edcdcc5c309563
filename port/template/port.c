/*
 * A port that compiles and does nothing: copy this folder to port/<core> and fill it in.
 * docs/porting.md has the order of work and a test for each step of it. port_now() and port_alarm()
 * usually belong to a timer driver of the board (drivers/clock), the rest to the core.
 */
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/thread.h>

/*
 * Called by takt_start() with interrupts off, before any thread. Give the interrupt that does
 * preemption the lowest priority of all, and see to it that port_now() runs.
 */
void port_init(void) {}

/*
 * Builds what port_switch() would have saved, so that loading the returned value continues at a
 * small piece of assembler that enables interrupts, calls entry(arg) and then
 * takt_thread_exit(). The stack grows down from stack_end, which is 8-aligned. Do not touch the
 * lowest word: the kernel keeps its sentinel there.
 */
void *port_stack_init(char *stack, char *stack_end, void (*entry)(void *), void *arg)
{
    (void)stack, (void)entry, (void)arg;
    return stack_end;
}

/*
 * The second half of port_switch(), for a thread that has never run, from main's stack. If the
 * core can, give interrupts a stack of their own here.
 */
void port_start(void *sp)
{
    (void)sp;
    for (;;) {
    }
}

/*
 * A function call as far as the compiler knows: save the registers a callee must preserve and the
 * return address on the stack, store the stack pointer to *save, make `load` the stack pointer,
 * restore, return. Interrupts are off all the time, and their state need not be saved: what
 * switched away had them off as well.
 */
void port_switch(void **save, void *load)
{
    (void)save, (void)load;
}

/*
 * Where interrupts have a stack of their own: makes it the current one, calls, and goes back to the
 * thread's. Handlers that come meanwhile begin below what is there.
 */
uint32_t port_on_isr_stack(uint32_t (*work)(port_irq_t irq, uint32_t why), port_irq_t irq,
                           uint32_t why)
{
    return work(irq, why);
}

/*
 * In a handler: when the outermost one returns, the interrupted thread must call takt_preempt()
 * in thread context with interrupts off, then enable them and go on where it was. Beware of the
 * instant between the two: an interrupt there must not make the stack grow again (see
 * port/armv6m/switch.S). Asking twice is the same as asking once; asking although the thread
 * has meanwhile switched by itself is harmless, because takt_preempt() looks for itself.
 */
void port_switch_from_isr(void) {}

/* Off for everything the kernel's data is touched by. The pair nests. */
port_irq_t port_irq_save(void)
{
    return 0;
}

void port_irq_restore(port_irq_t state)
{
    (void)state;
}

/* In the kernel, also inside port_on_isr_stack(): the thread's. */
void *port_thread_sp(void)
{
    return __builtin_frame_address(0);
}

bool port_in_isr(void)
{
    return false;
}

/*
 * Interrupts are off. Sleep so that an interrupt that is already pending, or comes now, ends the
 * sleep; then let handlers run, and return with interrupts off. Never lose the wake-up between
 * looking and sleeping.
 */
void port_idle(void) {}

/* Microseconds, 32 bits, wrapping; the same time base as port_alarm(). */
takt_time_t port_now(void)
{
    return 0;
}

/*
 * takt_alarm_isr() is to run at `at`. When that has come or passed by the time the hardware is
 * set, it must run at once all the same: set, then compare again, then force if needed.
 */
void port_alarm(takt_time_t at)
{
    (void)at;
}

/* Such that a debugger sees it. */
void port_halt(void)
{
    for (;;) {
    }
}

/* Polling, from any state, as little code as possible. */
void port_fatal(const char *text)
{
    (void)text;
}
