/*
 * The server behind an I/O VCPU: functions on its one replenishment. Nothing here reads a
 * clock, switches or traces. Private to kernel/.
 */
#ifndef TAKT_KERNEL_PIBS_H
#define TAKT_KERNEL_PIBS_H

#include <takt/io.h>

/* Full budget, usable from now. */
void takt_pibs_start(struct takt_io_vcpu *io, takt_time_t now);

/* From now on it serves with this period: that of the most urgent thread it has events for, whose
 * rank it has; `rises`: a more urgent one than before. What is left of a budget under way never
 * grows by that, and is trimmed when the period shrinks. */
void takt_pibs_inherit(struct takt_io_vcpu *io, uint32_t period, bool rises, takt_time_t now);

/* Another share, or switched off or on. The budget under way is closed as it was, and the next one
 * is usable no earlier than `from`. */
void takt_pibs_change(struct takt_io_vcpu *io, struct takt_io_fraction share, bool off,
                      takt_time_t from);

/* As the functions of server.h of the same names, for a struct takt_vcpu that is part of a
 * struct takt_io_vcpu. */
void takt_pibs_wake(struct takt_vcpu *v, takt_time_t now);
void takt_pibs_owe(struct takt_vcpu *v, uint32_t us);
bool takt_pibs_dispatch(struct takt_vcpu *v, takt_time_t now);
int32_t takt_pibs_consume(struct takt_vcpu *v, uint32_t used, takt_time_t now);
void takt_pibs_age(struct takt_vcpu *v, takt_time_t now);
bool takt_pibs_sound(const struct takt_vcpu *v);

#endif
