/*
 * Interrupts of a PC, for drivers: the old lines, through the I/O APICs, and messages (MSI, MSI-X).
 * Handlers run one at a time on each CPU, interrupts off; one that wakes threads is bracketed
 * (takt/isr.h), `source` being the vector.
 */
#ifndef TAKT_X86_64_IRQ_H
#define TAKT_X86_64_IRQ_H

#include <takt/types.h>

typedef void (*irq_fn)(void *arg);

/* What a device writes where to interrupt. */
struct irq_message {
    uint64_t address;
    uint32_t data;
};

/* A vector of one's own, whose interrupts call fn(arg). TAKT_ENOSPACE: all are taken. Thread, or
 * before the start. */
int irq_take(irq_fn fn, void *arg);

/* The message that brings the vector to a CPU, 0 to port_cpus() - 1. Either context. */
struct irq_message irq_message(uint8_t vector, uint8_t cpu);

/* The vector's handler is to run on this CPU, as if its device had asked. Either context. */
void irq_pend(uint8_t vector);

/*
 * An old line (0: timer, 3: COM2, 4: COM1, ...) calls fn(arg) on CPU 0 from now on. Returns the
 * vector. TAKT_EINVAL: there is no such line, or no I/O APIC that has it. Thread, or before the
 * start.
 */
int irq_line(uint8_t line, irq_fn fn, void *arg);

/* A line that irq_line() has set up is held back, or no more. Either context. */
void irq_line_mask(uint8_t line, bool masked);

/* All lines are masked, the old controllers off. For the start of the board. */
void irq_start(void);

/* A fixed vector calls fn(arg); for the port and the clock. */
void irq_set(uint8_t vector, irq_fn fn, void *arg);

#endif
