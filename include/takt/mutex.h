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
    uint8_t outer_ceiling : 7; /* what unlock restores; at first 1: the build finds the ceiling */
    uint8_t outer_looked : 1;  /* whether the dispatcher had run under the outer one */
    struct takt_mutex *outer; /* locked before this one */
    uint32_t longest_us;      /* of the sections under it, as stated; 0: the build finds out */
};

#define TAKT_MUTEX_SLEEPS_ 0x80000000u /* in longest_us: of a lock (takt/lock.h) */

/* By hand: 0 as ceiling is always safe, the section then excludes every other thread. The build
 * checks that no thread above the ceiling locks it. _FOR: with the longest time that a section
 * under it takes of the CPU, in us, for where the build cannot find it out: loops that it cannot
 * count, waits for a device. */
#define TAKT_MUTEX_INIT(ceiling_place)         {(ceiling_place), TAKT_NOBODY, 0, 0, NULL, 0}
#define TAKT_MUTEX_INIT_FOR(ceiling_place, us) {(ceiling_place), TAKT_NOBODY, 0, 0, NULL, (us)}

/* The build writes the ceiling into the image, where it sees which threads lock the mutex
 * (tools/takt/admit/locks.py); otherwise it is 0. us: as above, or 0. */
#define TAKT_MUTEX_COMPUTED(us) {0, TAKT_NOBODY, 1, 0, NULL, (us)}

/*
 * Locks. Thread context; never blocks (the ceiling has already kept other threads away). Several
 * CPUs: waits, running, for at most one section of each other CPU, on the caller's budget.
 * TAKT_ECONTEXT in an interrupt or with interrupts off, TAKT_EOWNER when already held, TAKT_EINVAL
 * when the caller is more urgent than the ceiling; NULL is as with semaphores. While a mutex is
 * held the thread must not block: blocking calls return TAKT_ECONTEXT; takt/lock.h is for that.
 */
int takt_mutex_lock(struct takt_mutex *mutex);

/* Unlocks, in the reverse order of locking. TAKT_ECONTEXT as above, TAKT_EOWNER when the caller
 * does not hold it, as with NULL, or holds a later one. May switch to a more urgent thread at once.
 */
int takt_mutex_unlock(struct takt_mutex *mutex);

/* Does the calling thread hold a mutex? Thread context. */
bool takt_mutex_held(void);

/* To be called where a loop, setup(), job, handler or pipe has returned: fatal if the caller holds
 * a mutex, for no other thread would ever run again. Thread context. */
void takt_require_unlocked(void);

#ifdef __cplusplus
}
#endif

#endif
