/*
 * Admission of changes at run time. Private to kernel/.
 */
#ifndef TAKT_KERNEL_ADMISSION_H
#define TAKT_KERNEL_ADMISSION_H

#include <takt/thread.h>

/* Would the set be schedulable if `thread` joined it at `place`? TAKT_OK, TAKT_EADMIT or
 * TAKT_EINVAL; always TAKT_OK for a thread without a budget. */
int takt_admit_joining(const struct takt_thread *thread, uint8_t place);

/* And if the thread at `place` had a budget of c_us? */
int takt_admit_budget(uint8_t place, uint32_t c_us);

#endif
