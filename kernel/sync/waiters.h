/*
 * Threads that wait for something that a set of places cannot tell: a list of records on their
 * stacks, the most urgent first. Private to kernel/sync.
 *
 * A record's semaphore has its thread as its only waiter, so that what is done to sets of waiters
 * (timeouts, places of threads that move) is done to these as well. One without a waiter is of a
 * thread that has timed out, and is about to take the record out of the list.
 */
#ifndef TAKT_KERNEL_WAITERS_H
#define TAKT_KERNEL_WAITERS_H

#include "core/cpu.h"

struct takt_waiter {
    struct takt_waiter *next;
    struct takt_sem woken;
    uint32_t wanted; /* flags */
    uint32_t got;    /* which of them were set */
    uint8_t how;     /* enum takt_flags_how */
};

/* The caller, which may block, waits in the list for takt_waiter_wake_locked(); with
 * takt_waiter_sleep_locked() until the clock reads `at`, TAKT_ETIMEOUT. Interrupts are on when they
 * return. */
int takt_waiter_block_locked(struct takt_waiter **first, struct takt_waiter *self);
int takt_waiter_sleep_locked(struct takt_waiter **first, struct takt_waiter *self, takt_time_t at);

static inline bool takt_waiter_waits(const struct takt_waiter *waiter)
{
    return waiter->woken.waiters != 0;
}

/* Where the most urgent one that waits is linked, from there on; *link is NULL if none does. */
static inline struct takt_waiter **takt_waiter_first(struct takt_waiter **link)
{
    while (*link && !takt_waiter_waits(*link))
        link = &(*link)->next;
    return link;
}

/* Takes the record that `link` leads to, and that waits, out of the list and wakes its thread.
 * Returns whether that is one of this CPU. */
bool takt_waiter_wake_locked(struct takt_waiter **link);

#endif
