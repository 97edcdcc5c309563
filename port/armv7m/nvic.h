/*
 * Interrupts of ARMv7-M, for drivers.
 */
#ifndef TAKT_ARMV7M_NVIC_H
#define TAKT_ARMV7M_NVIC_H

#include <takt/port.h>

enum { NVIC_CLOCK = TAKT_IRQ_PRIORITY, NVIC_DEVICE = TAKT_IRQ_PRIORITY + 0x40 };

/* Enables an interrupt at a priority, NVIC_CLOCK or NVIC_DEVICE for handlers that call the kernel.
 */
static inline void nvic_enable(unsigned irq, uint8_t priority)
{
    ((volatile uint8_t *)0xE000E400u)[irq] = priority;
    ((volatile uint32_t *)0xE000E100u)[irq / 32u] = 1u << irq % 32u;
}

/* Makes an interrupt pending. */
static inline void nvic_pend(unsigned irq)
{
    ((volatile uint32_t *)0xE000E200u)[irq / 32u] = 1u << irq % 32u;
}

#endif
