/*
 * Sleeping, for the kernel's own use. Private to kernel/.
 */
#ifndef TAKT_KERNEL_SLEEP_H
#define TAKT_KERNEL_SLEEP_H

#include "cpu.h"

/*
 * The calling thread, which may block, becomes one of `set` and blocks until the clock reads `at`
 * or a signal takes it out of the set and wakes it. TAKT_ETIMEOUT if it was still in the set; never
 * with the set of sleepers. Interrupts are on when it returns.
 */
int takt_sleep_locked(takt_set_t *set, takt_time_t at);

#endif
