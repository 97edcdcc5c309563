/*
 * Condition variables: a thread that holds a mutex waits for what another one does under it.
 *
 *   takt_mutex_lock(&m);                        takt_mutex_lock(&m);
 *   while (!full)                               full = true;
 *       takt_cond_wait(&c, &m);                 takt_cond_signal(&c);
 *   ...                                         takt_mutex_unlock(&m);
 *   takt_mutex_unlock(&m);
 *
 * Waiting unlocks the mutex in one step, so no signal comes in between. A thread that wakes has
 * locked it again, which never takes waiting (takt/mutex.h); another may have come first, so the
 * condition is to be looked at again.
 */
#ifndef TAKT_COND_H
#define TAKT_COND_H

#include <takt/mutex.h>

#ifdef __cplusplus
extern "C" {
#endif

struct takt_waiter;

struct takt_cond {
    struct takt_waiter *first; /* the most urgent thread that waits; the kernel's */
};

#define TAKT_COND_INIT {NULL}

/* Unlocks, waits for a signal as long as it takes, and locks again. Thread context; the mutex is
 * the only one that the caller holds. TAKT_OK; TAKT_EOWNER when the caller does not hold it or has
 * locked another since, TAKT_ECONTEXT when it holds another from before, or in an interrupt, or
 * with interrupts off. */
int takt_cond_wait(struct takt_cond *cond, struct takt_mutex *mutex);

/* The same, but gives up after `us`: TAKT_ETIMEOUT; the mutex is locked then, too. 0 gives up at
 * once. TAKT_EINVAL above TAKT_DURATION_MAX. */
int takt_cond_wait_for(struct takt_cond *cond, struct takt_mutex *mutex, uint32_t us);

/* Wakes the most urgent thread that waits; all of them. If none does nothing is remembered. Thread
 * context with interrupts on, with or without the mutex: TAKT_OK, TAKT_ECONTEXT. All: O(threads
 * that wait), interrupts off, which admission counts (`waiter` in board.toml). */
int takt_cond_signal(struct takt_cond *cond);
int takt_cond_broadcast(struct takt_cond *cond);

#ifdef __cplusplus
}
#endif

#endif
