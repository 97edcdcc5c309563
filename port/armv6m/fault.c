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

/* frame: r0-r3, r12, lr, pc, xpsr as the fault stacked them. */
void port_hardfault(const uint32_t *frame) __attribute__((noreturn, used));
void port_hardfault(const uint32_t *frame)
{
    takt_fatal_number("hard fault at 0x", frame[6], 16);
}

/* The frame of the fault is on the stack EXC_RETURN names. */
void isr_hardfault(void) __attribute__((naked));
void isr_hardfault(void)
{
    __asm__ volatile("movs r0, #4\n\t"
                     "mov r1, lr\n\t"
                     "tst r0, r1\n\t"
                     "beq 1f\n\t"
                     "mrs r0, psp\n\t"
                     "b 2f\n"
                     "1: mrs r0, msp\n"
                     "2: ldr r1, =port_hardfault\n\t"
                     "bx r1");
}
