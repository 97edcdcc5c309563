/*
 * Handlers of interrupts: those of PIO, DMA, the wraps of PWM and the ADC's FIFO are a program's,
 * and only these; the rest are Takt's drivers', for which a handler ends the program and all else
 * has no effect.
 *
 * A handler runs in the interrupt, beside all budgets, as those of attachInterruptIsr() do: it may
 * not wait, and wakes a loop by sem_release() or takt_sem_signal_isr(). The proof covers one of up
 * to 5 us every 200 us (board.toml: handlers of the pico's SDK), which `takt check` says.
 */
#ifndef TAKT_HARDWARE_IRQ_H
#define TAKT_HARDWARE_IRQ_H

#include <hardware/regs/intctrl.h>
#include <pico/platform.h>

typedef void (*irq_handler_t)(void);

#define PICO_HIGHEST_IRQ_PRIORITY 0x00u
#define PICO_DEFAULT_IRQ_PRIORITY 0x80u
#define PICO_LOWEST_IRQ_PRIORITY  0xFFu

/* Of handlers that share an interrupt those with a higher one are called first. */
#define PICO_SHARED_IRQ_HANDLER_HIGHEST_ORDER_PRIORITY 0xFFu
#define PICO_SHARED_IRQ_HANDLER_DEFAULT_ORDER_PRIORITY 0x80u
#define PICO_SHARED_IRQ_HANDLER_LOWEST_ORDER_PRIORITY  0x00u

#ifdef __cplusplus
extern "C" {
#endif

/* drivers/irq. Either context; what cannot be ends the program: an exclusive handler beside
 * another, more handlers than there is room for. */
void irq_set_exclusive_handler(uint num, irq_handler_t handler);
irq_handler_t irq_get_exclusive_handler(uint num); /* NULL: none */
void irq_add_shared_handler(uint num, irq_handler_t handler, uint8_t order_priority);
bool irq_has_shared_handler(uint num);
void irq_remove_handler(uint num, irq_handler_t handler);

/* Without a handler it is a fatal error when it comes. */
void irq_set_enabled(uint num, bool enabled);
bool irq_is_enabled(uint num);

/* The higher two of eight bits; 0 is the most urgent. */
void irq_set_priority(uint num, uint8_t priority);
uint irq_get_priority(uint num);

void irq_set_pending(uint num);
void irq_clear(uint num);

#ifdef __cplusplus
}
#endif

#endif
