/*
 * Sleeping, for the kernel's own use. Private to kernel/.
 */
#ifndef TAKT_KERNEL_SLEEP_H
#define TAKT_KERNEL_SLEEP_H

#include "cpu.h"

/* The calling thread blocks until the clock reads `at` or somebody wakes it before. */
void takt_sleep_locked(takt_time_t at, enum takt_block_reason reason, port_irq_t irq);

#endif
