/*
 * Which threads are released when: pure functions. Private to kernel/.
 */
#ifndef TAKT_KERNEL_RELEASES_H
#define TAKT_KERNEL_RELEASES_H

#include <takt/periodic.h>

/* Adds slot->threads, released at ring->at and every ring->period from then on. Both are storage
 * that may be used, where the period or the instant is new. O(rings + slots of the period).
 * Other threads of that period may then be named a period before their time, once. */
void takt_rings_add(struct takt_release_ring **rings, struct takt_release_ring *ring,
                    struct takt_slot *slot);

/* The ring is due: turns it on to the first slot that is not. */
static inline takt_time_t takt_ring_turn(struct takt_release_ring *ring, takt_time_t now,
                                         takt_set_t *threads)
{
    struct takt_slot *slot = ring->slot;
    takt_time_t at = ring->at;
    do {
        takt_set_join(threads, &slot->threads);
        at += slot->gap;
        slot = slot->next;
    } while (!takt_before(now, at));
    ring->slot = slot;
    ring->at = at;
    return at;
}

/* The first ring has been turned on and is due after the second: goes on with that. */
takt_time_t takt_rings_take_more(struct takt_release_ring **rings, takt_time_t now,
                                 takt_set_t *threads);

/* Adds to *threads the threads released up to `now`; returns when to come again. There is a ring.
 * O(1) if no thread is due, else O(slots that are due + rings that are passed by those that are).
 */
static inline takt_time_t takt_rings_take(struct takt_release_ring **rings, takt_time_t now,
                                          takt_set_t *threads)
{
    struct takt_release_ring *ring = *rings;
    if (takt_before(now, ring->at))
        return ring->at;
    takt_time_t at = takt_ring_turn(ring, now, threads);
    if (!ring->next || !takt_before(ring->next->at, at))
        return at; /* the first still, and no other is due */
    return takt_rings_take_more(rings, now, threads);
}

/* An instant in [from, from + period) for a newcomer beside `others` where few coincide with it, a
 * multiple of TAKT_PERIODIC_TICK_US after `from`; `period` is one, too. O(others x (others + 64)).
 */
takt_time_t takt_place_release(struct takt_beat *others, uint32_t period, takt_time_t from);

#endif
