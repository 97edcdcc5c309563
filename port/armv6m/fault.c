/*
 * Cortex-M0/M0+: fatal errors and faults on the console, in programs that tell (takt/thread.h).
 */
#include <takt/console.h>

#include "cpu.h"

#define SCB_ICSR (*(volatile uint32_t *)0xE000ED04u)
#define NVIC_ICER (*(volatile uint32_t *)0xE000E180u)
#define ICSR_PENDSVCLR (1u << 27)
#define ON_PSP 4u /* of EXC_RETURN */

void port_fatal(const char *line)
{
    while (*line)
        board_console_put(*line++);
    NVIC_ICER = 0xFFFFFFFFu; /* nothing may wake the core again */
    SCB_ICSR = ICSR_PENDSVCLR;
    port_halt();
}

/* frame: r0-r3, r12, lr, pc, xpsr as the fault stacked them. */
void port_hardfault(const uint32_t *frame, uint32_t exc_return) __attribute__((noreturn, used));
void port_hardfault(const uint32_t *frame, uint32_t exc_return)
{
    if (!(exc_return & ON_PSP) && frame < PORT_ISR_STACK)
        takt_fatal(TAKT_FATAL_ISR_STACK, TAKT_NOBODY, NULL);
    takt_fatal_number("hard fault at 0x", frame[6], 16);
}

/* The frame of the fault is on the stack EXC_RETURN names. If the interrupts' has overflowed, this begins
 * it anew, for nobody goes back. */
void isr_hardfault(void) __attribute__((naked));
void isr_hardfault(void)
{
    __asm__ volatile("movs r0, #4\n\t"
                     "mov r1, lr\n\t"
                     "tst r0, r1\n\t"
                     "beq 1f\n\t"
                     "mrs r0, psp\n\t"
                     "b 2f\n"
                     "1: mrs r0, msp\n\t"
                     "ldr r2, =__takt_isr_stack_start\n\t"
                     "cmp r0, r2\n\t"
                     "bhs 2f\n\t"
                     "ldr r2, =__takt_isr_stack_end\n\t"
                     "msr msp, r2\n"
                     "2: ldr r2, =port_hardfault\n\t"
                     "bx r2");
}
