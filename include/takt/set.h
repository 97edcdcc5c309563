/*
 * Sets of threads. A thread's place (0 = highest priority) is its bit, so the most urgent member
 * of a set is its lowest bit.
 */
#ifndef TAKT_SET_H
#define TAKT_SET_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#if TAKT_PLACES == 8
typedef uint8_t takt_set_t;
#elif TAKT_PLACES == 64
typedef uint64_t takt_set_t;
#else
typedef uint32_t takt_set_t;
#endif

#define TAKT_NOBODY 0xFFu /* a place that is no thread's */

static inline takt_set_t takt_set_of(uint8_t place)
{
    if (TAKT_ONE_THREAD)
        return 1;
#ifdef PORT_SET_OF /* port_config.h */
    return port_set_of(place);
#else
    return (takt_set_t)((takt_set_t)1 << place);
#endif
}

static inline __attribute__((always_inline)) bool takt_set_has(takt_set_t set, uint8_t place)
{
#ifdef PORT_SET_OF
    return set & (TAKT_ONE_THREAD ? 1 : port_set_of(place));
#else
    return (set >> place) & 1;
#endif
}

static inline takt_set_t takt_set_without(takt_set_t set, takt_set_t others)
{
    return (takt_set_t)(set & ~others);
}

/* Without the most urgent member. The set must not be empty. */
static inline takt_set_t takt_set_rest(takt_set_t set)
{
    if (TAKT_ONE_THREAD)
        return 0;
    return (takt_set_t)(set & (set - 1));
}

/* Adds those of the other. */
static inline void takt_set_join(takt_set_t *set, const takt_set_t *others)
{
    *set |= *others;
}

/* All places more urgent than this one. */
static inline takt_set_t takt_set_before(uint8_t place)
{
    return (takt_set_t)(takt_set_of(place) - 1);
}

/* Place of the most urgent member. The set must not be empty. O(1). */
static inline uint8_t takt_set_first(takt_set_t set)
{
    if (TAKT_ONE_THREAD)
        return 0;
#ifdef PORT_SET_OF
    return port_set_first(set);
#elif defined(__thumb__) && !defined(__thumb2__)
    /* No count-zeros instruction on ARMv6-M: de Bruijn multiplication of the isolated bit. */
    extern const uint8_t takt_set_place_of[32];
    return takt_set_place_of[((set & -set) * 0x077CB531u) >> 27];
#else
    return (uint8_t)(TAKT_PLACES == 64 ? __builtin_ctzll(set) : __builtin_ctz((unsigned)set));
#endif
}

#ifdef __cplusplus
}
#endif

#endif
