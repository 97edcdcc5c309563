/*
 * Who is released when: pure functions. Private to kernel/.
 */
#ifndef TAKT_KERNEL_RELEASES_H
#define TAKT_KERNEL_RELEASES_H

#include <takt/periodic.h>

/* Adds those of `who`, released at `due` and every `period` from then on. `ring` and `slot` are
 * storage that may be used. O(rings + slots of the period). Others of that period may then be named a
 * period before their time, once. */
void takt_rings_add(struct takt_release_ring **rings, struct takt_release_ring *ring,
                    struct takt_slot *slot, takt_set_t who, takt_time_t due, uint32_t period);

/* Adds to *who those who are released up to `now`; returns when to come again. There is one ring at
 * least. O(1) if nobody is due, else O(slots that are due + rings that are passed by those that are). */
takt_time_t takt_rings_take(struct takt_release_ring **rings, takt_time_t now, takt_set_t *who);

/* An instant in [from, from + period) for a newcomer among `others` where few coincide with it, a
 * multiple of TAKT_PERIODIC_TICK_US after `from`; `period` is one, too. O(others x (others + 64)). */
takt_time_t takt_place_release(struct takt_beat *others, uint32_t period, takt_time_t from);

#endif
