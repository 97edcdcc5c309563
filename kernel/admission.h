/*
 * Admission of changes at run time. Private to kernel/.
 */
#ifndef TAKT_KERNEL_ADMISSION_H
#define TAKT_KERNEL_ADMISSION_H

#include <takt/io.h>

/* Would the set be schedulable if `thread` joined it at `place`? TAKT_OK, TAKT_EADMIT or
 * TAKT_EINVAL; always TAKT_OK for a thread without a budget. */
int takt_admit_joining(const struct takt_thread *thread, uint8_t place);

/* And if the thread at `place` had a budget of c_us? */
int takt_admit_budget(uint8_t place, uint32_t c_us);

/* And if an I/O VCPU had this share? */
int takt_admit_share(const struct takt_io_vcpu *io, struct takt_io_fraction share);

/* The longest period of all threads with a Main VCPU, us. */
uint32_t takt_longest_period(void);

#endif
