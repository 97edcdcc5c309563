/*
 * Locks: mutual exclusion for as long as it takes, with sleeping and waiting in between: a device
 * that converts for a while, a file. Other threads wait for one, the most urgent first, if need be
 * with a time-out. Where the section is short and never waits, a mutex (takt/mutex.h) does with
 * less, and no thread ever waits for it.
 *
 * While its holder runs, a lock is as a mutex: an immediate ceiling, so that no thread of medium
 * urgency holds up the holder while a more urgent one waits for it. While the holder waits the
 * ceiling is down, and all others run; it is up again from the instant that wakes the holder.
 *
 * On several CPUs there is no ceiling.
 */
#ifndef TAKT_LOCK_H
#define TAKT_LOCK_H

#include <takt/mutex.h>

#ifdef __cplusplus
extern "C" {
#endif

struct takt_waiter;

struct takt_lock {
    struct takt_mutex mutex;
    struct takt_waiter *first; /* the most urgent thread that waits; the kernel's */
};

/* As with mutexes: the place of the most urgent thread that takes it, 0 is always safe; or the
 * build finds it. us: the longest that the holder uses the CPU between taking and giving it. The
 * build cannot find that out where the holder sleeps or waits meanwhile; 0: it is to find out. */
#define TAKT_LOCK_INIT(ceiling_place) {TAKT_MUTEX_INIT_FOR(ceiling_place, TAKT_MUTEX_SLEEPS_), NULL}
#define TAKT_LOCK_COMPUTED(us)        {TAKT_MUTEX_COMPUTED(TAKT_MUTEX_SLEEPS_ | (us)), NULL}

/* Takes the lock, waiting as long as it takes. Thread context. TAKT_OK; TAKT_ECONTEXT, also when
 * the caller holds a mutex; TAKT_EOWNER when it holds the lock already; TAKT_EINVAL when it is more
 * urgent than the ceiling. NULL is as with semaphores. O(threads that wait for it, and locks that
 * are held). */
int takt_lock_take(struct takt_lock *lock);

/* The same, but gives up after `us`: TAKT_ETIMEOUT. 0 never waits: TAKT_EAGAIN. TAKT_EINVAL above
 * TAKT_DURATION_MAX, too. */
int takt_lock_take_for(struct takt_lock *lock, uint32_t us);

/* Gives it to the most urgent thread that waits, or back; locks and mutexes in the reverse order of
 * taking them. Switches at once if that thread is more urgent. Thread context. TAKT_OK,
 * TAKT_ECONTEXT, TAKT_EOWNER when the caller does not hold it or has taken another since. */
int takt_lock_give(struct takt_lock *lock);

#ifdef __cplusplus
}
#endif

#endif
