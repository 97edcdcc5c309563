/*
 * Cortex-M0/M0+: fatal errors and faults on the console, in programs that tell (takt/thread.h).
 */
#include <takt/console.h>

#include "core/cpu.h"

#define SCB_ICSR (*(volatile uint32_t *)0xE000ED04u)
#define NVIC_ICER (*(volatile uint32_t *)0xE000E180u)
#define ICSR_PENDSVCLR (1u << 27)

void port_fatal(const char *text)
{
    NVIC_ICER = 0xFFFFFFFFu; /* nothing may wake the core again */
    SCB_ICSR = ICSR_PENDSVCLR;
    while (*text)
        board_console_put(*text++);
}

/* A push that meets what cannot be written does not move the stack pointer, which may be up to 36
 * bytes above the guard; the fault's frame, of 32 or 36 bytes, then begins at most this far above
 * the guard's end. */
#define FRAME_ABOVE 4

/* The fault's frame, r0-r3, r12, lr, pc, xpsr, on a thread's stack; perhaps not written. */
static void name_overflow(const uint32_t *frame)
{
    const struct takt_thread *thread = takt_thread_at(takt_self());
    if (thread && (const char *)frame <= thread->stack + PORT_GUARD_BYTES + FRAME_ABOVE)
        takt_fatal(TAKT_FATAL_STACK, takt_self(), NULL);
}

/* From isr_hardfault. frame: a thread's, else NULL and pc is known, unless the interrupts' stack
 * has overflowed. */
void port_hardfault(const uint32_t *frame, uint32_t pc, bool overflow)
    __attribute__((noreturn, used));
void port_hardfault(const uint32_t *frame, uint32_t pc, bool overflow)
{
    TAKT_FACT("last");
    if (overflow)
        takt_fatal(TAKT_FATAL_ISR_STACK, TAKT_NOBODY, NULL);
    if (frame)
        name_overflow(frame);
    takt_fatal_number("hard fault at 0x", frame ? frame[6] : pc, 16);
}

/* The frame is on the stack that EXC_RETURN names. The interrupts' begins anew, so that there is
 * room to say what happened. */
void isr_hardfault(void) __attribute__((naked));
void isr_hardfault(void)
{
    __asm__ volatile(".syntax unified\n\t"
                     "mrs r0, psp\n\t"
                     "movs r2, #0\n\t"
                     "mov r3, lr\n\t"
                     "lsrs r3, r3, #3\n\t" /* carry: on the thread's */
                     "bcs 1f\n\t"
                     "mrs r1, msp\n\t"
                     "movs r0, #0\n\t"
                     "movs r2, #1\n\t"
                     "ldr r3, =__takt_isr_stack_start + %c0\n\t"
                     "cmp r1, r3\n\t"
                     "bls 1f\n\t"
                     "movs r2, #0\n\t"
                     "ldr r1, [r1, #24]\n"
                     "1: ldr r3, =__takt_isr_stack_end\n\t"
                     "msr msp, r3\n\t"
                     "ldr r3, =port_hardfault\n\t"
                     "bx r3" ::"i"(FRAME_ABOVE));
}
