/*
 * What the release structures are compared by: the work, and the set of ready tasks that all of
 * them put tasks into. Takt's is kernel/job/releases.c itself; baselines.h has the others.
 *
 * Included by bench.c (host) and board/board.c, which define TASKS, ARENA, ALIGNED and what a set's
 * word is.
 */
#ifndef TAKT_LAB_ANT_STRUCTURES_H
#define TAKT_LAB_ANT_STRUCTURES_H

#include "../../kernel/job/releases.c" /* compiled as the others are */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint16_t task_t; /* 1.. where 0 is none */

/* A set: a summary, where there are several words, then the words. */
#define LEAVES  ((TASKS + BITS - 1) / BITS)
#define SUMMARY (LEAVES > 1 ? (LEAVES + BITS - 1) / BITS : 0)

struct workload {
    uint32_t n;
    uint32_t period[TASKS]; /* ticks */
    uint32_t first[TASKS];  /* release, below the period */
};

struct structure {
    const char *name;
    bool (*init)(const struct workload *load);
    void (*tick)(void);        /* one tick passes: who is due becomes ready */
    void (*wait)(uint32_t i);  /* task i, ready, waits for its next release */
};

static takt_set_t ready __attribute__((aligned(ALIGNED)));
#define READY ((WORD *)&ready)
static const struct workload *load;
static uint32_t now;

#define SAMPLES_LCM(i)    ((const uint16_t[]){2,  4,  5,   8,   10,  20,  25, 40,                  \
                                              50, 100, 125, 200, 250, 500, 1000}[(i) % 15])
#define SAMPLES_PRIMES(i) ((const uint16_t[]){7, 11, 13, 17, 19, 23, 29, 31, 37, 41}[(i) % 10])

static struct workload given;

/* N tasks of one period, all released at the same tick. */
static void all_at_once(uint32_t n, uint32_t period)
{
    given.n = n;
    for (uint32_t i = 0; i < n; i++) {
        given.period[i] = period;
        given.first[i] = 0;
    }
}

/* N tasks with periods of a set, 'l'cm 1000, 'p'rimes or 'r'andom, first releases spread over them.
 * */
static void mixture(uint32_t n, char set)
{
    uint32_t seed = 1;
    given.n = n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t before_me = 0;
        seed = seed * 1103515245 + 12345;
        uint32_t p = given.period[i] = set == 'l'   ? SAMPLES_LCM(i)
                                       : set == 'p' ? SAMPLES_PRIMES(i)
                                                    : 10 + (seed >> 8) % 991;
        for (uint32_t j = 0; j < i; j++)
            before_me += given.period[j] == p;
        given.first[i] = (before_me * (p - p / 3 - p / 21) + i) % p;
    }
}

/* Storage of the structures. */
static char arena[ARENA] __attribute__((aligned(ALIGNED)));
static size_t taken;

static void *take(size_t bytes)
{
    size_t at = taken;
    bytes = (bytes + ALIGNED - 1) & ~(size_t)(ALIGNED - 1);
    if (bytes > ARENA || at + bytes > ARENA)
        return NULL;
    taken += bytes;
    memset(arena + at, 0, bytes);
    return arena + at;
}

static inline void set_add(uint32_t i)
{
    READY[SUMMARY + i / BITS] |= (WORD)1 << i % BITS;
    if (SUMMARY)
        READY[i / BITS / BITS] |= (WORD)1 << i / BITS % BITS;
}

static inline void set_remove(uint32_t i)
{
    WORD rest = READY[SUMMARY + i / BITS] &= ~((WORD)1 << i % BITS);
    if (SUMMARY && rest == 0)
        READY[i / BITS / BITS] &= ~((WORD)1 << i / BITS % BITS);
}

/* Waiting, for all that leave the release entry where it is (AnT, section 3.1). */
static void leave_ready(uint32_t i)
{
    set_remove(i);
}

/* The most urgent ready task, or UINT32_MAX. */
static inline uint32_t first_ready(void)
{
    if (!SUMMARY)
        return READY[0] ? FIRST_BIT(READY[0]) : UINT32_MAX;
    for (uint32_t s = 0; SUMMARY && s < SUMMARY; s++) {
        if (!READY[s])
            continue;
        uint32_t leaf = s * BITS + FIRST_BIT(READY[s]);
        return leaf * BITS + FIRST_BIT(READY[SUMMARY + leaf]);
    }
    return UINT32_MAX;
}

/* Takt's: rings of sets, looked at as the kernel does. Dates in ticks. */
static struct takt_release_ring *takt_rings;

static bool takt_init(const struct workload *l)
{
    struct takt_release_ring *ring = take(l->n * sizeof *ring);
    struct takt_slot *slot = take(l->n * sizeof *slot);
    takt_rings = NULL;
    if (!ring || !slot)
        return false;
    for (uint32_t i = 0; i < l->n; i++, ring++, slot++) {
        slot->threads = takt_set_of((PLACE)i);
        ring->at = l->first[i];
        ring->period = l->period[i];
        takt_rings_add(&takt_rings, ring, slot);
    }
    return true;
}

static void takt_tick(void)
{
    (void)takt_rings_take(&takt_rings, now, &ready);
}

#include "baselines.h"

static const struct structure structures[] = {
    {"takt", takt_init, takt_tick, leave_ready},
    {"art-linux-queue", queue_init, queue_tick, queue_wait},
    {"ant-table", ant_init, ant_tick, leave_ready},
    {"hierarchical-wheel", levels_init, levels_tick, levels_wait},
    {"periodic-wheel", wheel_init, wheel_tick, leave_ready},
    {"bitmap-rows", rows_init, rows_tick, leave_ready},
};
#define STRUCTURES (sizeof structures / sizeof structures[0])

/* Before the first is set up. */
static void clear(const struct workload *l)
{
    memset(&ready, 0, sizeof ready);
    taken = 0;
    now = 0;
    load = l;
}

#endif
