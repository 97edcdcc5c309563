/*
 * Cortex-M0/M0+: fatal errors and faults on the console, in programs that tell (takt/thread.h).
 */
#include <takt/console.h>

#include "cpu.h"

#define SCB_ICSR (*(volatile uint32_t *)0xE000ED04u)
#define NVIC_ICER (*(volatile uint32_t *)0xE000E180u)
#define ICSR_PENDSVCLR (1u << 27)

void port_fatal(const char *line)
{
    while (*line)
        board_console_put(*line++);
    NVIC_ICER = 0xFFFFFFFFu; /* nothing may wake the core again */
    SCB_ICSR = ICSR_PENDSVCLR;
    port_halt();
}

void port_hardfault(uint32_t pc, uint32_t overflow) __attribute__((noreturn, used));
void port_hardfault(uint32_t pc, uint32_t overflow)
{
    if (overflow)
        takt_fatal(TAKT_FATAL_ISR_STACK, TAKT_NOBODY, NULL);
    takt_fatal_number("hard fault at 0x", pc, 16);
}

/* The frame of the fault, r0-r3, r12, lr, pc, xpsr, is on the stack EXC_RETURN names. What lies on the
 * interrupts' stack is needed no more: so there is room to say what happened. */
void isr_hardfault(void) __attribute__((naked));
void isr_hardfault(void)
{
    __asm__ volatile("movs r1, #4\n\t"
                     "mov r2, lr\n\t"
                     "and r1, r2\n\t"
                     "mrs r0, psp\n\t"
                     "bne 1f\n\t"
                     "mrs r0, msp\n\t"
                     "ldr r2, =__takt_isr_stack_start\n\t"
                     "cmp r0, r2\n\t"
                     "blo 2f\n"
                     "1: ldr r0, [r0, #24]\n\t"
                     "movs r1, #1\n"
                     "2: ldr r2, =__takt_isr_stack_end\n\t"
                     "msr msp, r2\n\t"
                     "movs r2, #1\n\t"
                     "eor r1, r2\n\t"
                     "ldr r2, =port_hardfault\n\t"
                     "bx r2");
}
