/*
 * Sets of more than 32 tasks, in place of include/takt/set.h: kernel/job/releases.c is compiled with
 * them as it is. The kernel itself has sets of one word.
 */
#ifndef TAKT_SET_H
#define TAKT_SET_H

#include <takt/types.h>

#define TAKT_SET_LEAVES  ((TAKT_PLACES + 63) / 64)
#define TAKT_SET_SUMMARY ((TAKT_SET_LEAVES + 63) / 64)

/* A bit for each word with a member, then a bit for each member. */
typedef struct {
    uint64_t word[TAKT_SET_SUMMARY + TAKT_SET_LEAVES];
} takt_set_t;

static inline takt_set_t takt_set_of(uint32_t place)
{
    takt_set_t set = {{0}};
    set.word[place / 64 / 64] |= (uint64_t)1 << place / 64 % 64;
    set.word[TAKT_SET_SUMMARY + place / 64] |= (uint64_t)1 << place % 64;
    return set;
}

static inline void takt_set_join(takt_set_t *restrict set, const takt_set_t *restrict others)
{
    for (uint32_t k = 0; k < TAKT_SET_SUMMARY + TAKT_SET_LEAVES; k++)
        set->word[k] |= others->word[k];
}

#endif
