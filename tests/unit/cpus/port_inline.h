/* What takt/kernel_lock.h wants to be in front of it; all else is in port.c. */
#ifndef TAKT_TEST_PORT_INLINE_H
#define TAKT_TEST_PORT_INLINE_H

#include <takt/types.h>

#define PORT_IRQ_INLINE 1

uint8_t port_cpu(void);
void port_relax(void);
port_irq_t port_local_save(void);
void port_local_restore(port_irq_t state);
port_irq_t port_irq_save(void);
void port_irq_restore(port_irq_t state);
void *port_thread_sp(void);
bool port_in_isr(void);

#include <takt/kernel_lock.h>

#endif
