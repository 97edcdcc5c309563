/*
 * The release structure: for each distinct period a ring of the instants at which a thread is due.
 *
 *     rings -> | 5 ms, due at t |-------------> | 20 ms, due at u |
 *                      |                                |
 *              +-> {2, 3} --1 ms--> {7} --4 ms--+    -> {9} --20 ms--+
 *              +--------------------------------+    +---------------+
 *
 * A slot has all threads that are released together as one set, so a release is one OR, however
 * many they are; entries stay where they are. Memory is O(threads), whatever the periods: no table
 * of instants, no least common multiple. The rings are in order of time, so a look at the first
 * says when to come again; one that is due turns on and moves behind those that are due before it.
 */
#include "releases.h"

/* `slot` comes `after` us, less than a period, from the first, or those in it join one that is
 * there. */
static struct takt_slot *slot_in(struct takt_slot *first, uint32_t after, struct takt_slot *slot)
{
    struct takt_slot *before = first;
    while (before->gap <= after && after > 0) {
        after -= before->gap;
        before = before->next;
    }
    if (after == 0) {
        takt_set_join(&before->threads, &slot->threads);
        return before;
    }
    slot->gap = before->gap - after;
    slot->next = before->next;
    before->gap = after;
    before->next = slot;
    return slot;
}

/* `ring`, which is not among them, comes to its place in the order, after another. */
static void put_after(struct takt_release_ring *before, struct takt_release_ring *ring)
{
    takt_time_t at = ring->at;
    struct takt_release_ring *after;
    while ((after = before->next) != NULL && takt_before(after->at, at))
        before = after;
    ring->next = after;
    before->next = ring;
}

void takt_rings_add(struct takt_release_ring **rings, struct takt_release_ring *ring,
                    struct takt_slot *slot)
{
    struct takt_release_ring **link = rings, *r;
    uint32_t period = ring->period;
    while ((r = *link) && r->period != period)
        link = &r->next;
    if (r) {
        bool earlier = takt_before(ring->at, r->at);
        uint32_t after = earlier ? period - (r->at - ring->at) % period : ring->at - r->at;
        slot = slot_in(r->slot, after % period, slot);
        if (!earlier)
            return;
        *link = r->next; /* other threads may be named once before their time */
        r->at = ring->at;
        ring = r;
    } else {
        slot->gap = period;
        slot->next = slot;
    }
    ring->slot = slot;
    if (*rings && takt_before((*rings)->at, ring->at)) {
        put_after(*rings, ring);
    } else {
        ring->next = *rings;
        *rings = ring;
    }
}

takt_time_t takt_rings_take_more(struct takt_release_ring **rings, takt_time_t now,
                                 takt_set_t *threads)
{
    struct takt_release_ring *ring = *rings, *next = ring->next;
    do {
        *rings = next;
        put_after(next, ring);
        ring = next;
        if (takt_before(now, ring->at))
            break;
        takt_ring_turn(ring, now, threads);
        next = ring->next;
    } while (next && takt_before(next->at, ring->at));
    return ring->at;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* How many of these threads come to coincide, now and then, with one that is released `offset`
 * after `from`: two do if their distance is a multiple of the common divisor of their periods. */
static uint32_t coinciding(const struct takt_beat *others, uint32_t offset)
{
    uint32_t count = 0;
    for (; others; others = others->next)
        count += (others->apart + offset) % others->common == 0;
    return count;
}

/* Relatively prime to n and about 0.618 n: multiples of it visit 0..n-1 evenly, and every residue
 * of each divisor of n. */
static uint32_t stride(uint32_t n)
{
    uint32_t step = n - n / 3 - n / 21;
    while (step > 1 && common_divisor(n, step) > 1)
        step--;
    return n > 1 ? step : 0;
}

takt_time_t takt_place_release(struct takt_beat *others, uint32_t period, takt_time_t from)
{
    const uint32_t tick = TAKT_PERIODIC_TICK_US;
    uint32_t n = period / tick, step = stride(n), offset = 0, best = 0, fewest = UINT32_MAX;
    uint32_t most = 64; /* one more than they are: there is a free one, if their period is one */
    for (struct takt_beat *b = others; b; b = b->next, most++) {
        int32_t ahead = (int32_t)(from - b->due) / (int32_t)tick;
        b->common = common_divisor(n, b->period / tick);
        int32_t rest = ahead % (int32_t)b->common;
        b->apart = (uint32_t)(rest < 0 ? rest + (int32_t)b->common : rest);
    }
    for (uint32_t tries = most < n ? most : n; tries > 0 && fewest > 0; tries--) {
        uint32_t count = coinciding(others, offset);
        if (count < fewest) {
            fewest = count;
            best = offset;
        }
        offset += step;
        offset -= offset >= n ? n : 0;
    }
    return from + best * tick;
}
