/*
 * Mutexes with immediate priority ceiling (Sha/Rajkumar/Lehoczky 1990; stack resource policy for
 * threads): while one is held, no thread whose place is at or below the ceiling runs except the
 * holder. One comparison, no deadlock, a thread is blocked at most once, by one section.
 */
#ifndef TAKT_MUTEX_H
#define TAKT_MUTEX_H

#include <takt/set.h>

#ifdef __cplusplus
extern "C" {
#endif

struct takt_mutex {
    uint8_t ceiling; /* place of the most urgent thread that locks it */
    uint8_t owner;   /* place, or TAKT_NOBODY */
    uint8_t outer_ceiling;    /* what unlock restores */
    struct takt_mutex *outer; /* locked before this one */
};

/* 0 as ceiling is always safe: the section then excludes every other thread. */
#define TAKT_MUTEX_INIT(ceiling_place) {(ceiling_place), TAKT_NOBODY, 0, NULL}

/*
 * Locks. Thread context; never blocks (the ceiling has already kept others away).
 * TAKT_ECONTEXT in an interrupt or with interrupts off, TAKT_EOWNER when already held, TAKT_EINVAL
 * when the caller is more urgent than the ceiling; NULL is as with semaphores. While a mutex is held
 * the thread must not block: blocking calls return TAKT_ECONTEXT.
 */
int takt_mutex_lock(struct takt_mutex *mutex);

/* Unlocks, in the reverse order of locking. TAKT_ECONTEXT as above, TAKT_EOWNER when the caller does
 * not hold it, as with NULL, or holds a later one. May switch to a more urgent thread at once. */
int takt_mutex_unlock(struct takt_mutex *mutex);

/* Does the calling thread hold a mutex? Thread context. */
bool takt_mutex_held(void);

#ifdef __cplusplus
}
#endif

#endif
