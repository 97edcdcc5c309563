/*
 * Locks (include/takt/lock.h): mutexes that are out of force while their holder waits.
 *
 * Those in force are with the mutexes in one list, from the innermost: the most urgent ceiling
 * first, each thread's own in the order of taking, mutexes before locks of threads that may want
 * them. So the holder of the first is the thread that the ceiling lets run, and its locks are the
 * first ones when it waits. The others are in a list of their own. A lock returns, to where its
 * ceiling says, when its holder is woken: that, not when the holder runs, is when threads of medium
 * urgency would begin to hold it up.
 *
 *   takt_locks.innermost -> ceiling 0 -> ceiling 2 -> ceiling 5     in force, holders awake
 *   takt_locks.asleep    -> ...                                     holders wait
 *
 * A lock that is given goes to the first waiter by itself, which wakes as a holder.
 */
#include "waiters.h"

#include <takt/lock.h>
#include <takt/time.h>

#if TAKT_HAS_LOCKS

static inline bool has_ceilings(void)
{
    return PORT_CPUS == 1 || takt_cpus() == 1;
}

static inline uint8_t lesser(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

/* The most urgent ceiling of what the holder of this one has locked up to it. */
static uint8_t own_ceiling(const struct takt_mutex *mutex)
{
    uint8_t ceiling = TAKT_PLACES, owner = mutex->owner;
    for (; mutex; mutex = mutex->outer)
        if (mutex->owner == owner)
            ceiling = lesser(ceiling, mutex->ceiling);
    return ceiling;
}

/* May the thread at `place` want to lock this mutex, which is no lock? Then its section is finished
 * first, for no thread ever waits for a mutex. */
static bool may_want(uint8_t place, const struct takt_mutex *mutex)
{
    return !(mutex->longest_us & TAKT_MUTEX_SLEEPS_) && own_ceiling(mutex) <= place;
}

/* Has each a holder, and is no ceiling more urgent than that of one before? */
static bool is_sound(void)
{
    uint8_t ceiling = takt_locks.ceiling;
    for (const struct takt_mutex *m = takt_locks.innermost; m; m = m->outer) {
        if (m->owner >= takt_core.count || m->outer_ceiling < ceiling)
            return false;
        ceiling = m->outer_ceiling;
    }
    return ceiling >= TAKT_PLACES;
}

/* Puts the lock in force with this ceiling: behind those of other threads that are as urgent. What
 * is in force without a mutex is kept in it, so those before the lock learn of its ceiling. */
static void put_in_force_locked(struct takt_mutex *lock, uint8_t ceiling)
{
    struct takt_mutex *before = NULL, *behind = takt_locks.innermost;
    uint8_t of_behind = takt_locks.ceiling;
    while (behind && behind->owner != lock->owner &&
           (of_behind <= ceiling || may_want(lock->owner, behind))) {
        uint8_t behind_that = behind->outer_ceiling;
        behind->outer_ceiling = lesser(behind_that, ceiling) & 0x7Fu;
        before = behind;
        of_behind = behind_that;
        behind = behind->outer;
    }
    lock->outer = behind;
    lock->outer_ceiling = of_behind & 0x7Fu;
    lock->outer_looked = true;
    if (before)
        before->outer = lock;
    else
        takt_locks.innermost = lock;
    uint8_t holder = takt_locks.innermost->owner;
    takt_keep_away_locked(lesser(takt_locks.ceiling, ceiling), holder);
    takt_locks.looked = true;
    if (TAKT_CHECKS)
        TAKT_ASSERT(is_sound());
}

/* Takes a lock that stands behind `before`, or is the innermost, out of force. */
static void take_out_locked(struct takt_mutex *lock, struct takt_mutex *before)
{
    if (before) {
        before->outer = lock->outer;
        before->outer_ceiling = lock->outer_ceiling;
    } else {
        takt_locks.innermost = lock->outer;
        uint8_t holder = lock->outer ? lock->outer->owner : TAKT_NOBODY;
        takt_keep_away_locked(lock->outer_ceiling, holder);
    }
}

void takt_locks_sleep_locked(void)
{
    struct takt_mutex *before = NULL, *lock = takt_locks.innermost;
    while (lock) {
        struct takt_mutex *next = lock->outer;
        if (lock->owner == takt_core.current) {
            take_out_locked(lock, before);
            lock->outer = takt_locks.asleep;
            takt_locks.asleep = lock;
        } else {
            before = lock;
        }
        lock = next;
    }
    takt_locks.looked = true;
}

bool takt_locks_wake_locked(uint8_t place)
{
    uint8_t ceiling = TAKT_PLACES;
    for (struct takt_mutex **link = &takt_locks.asleep; *link;) {
        struct takt_mutex *lock = *link;
        if (lock->owner != place) {
            link = &lock->outer;
            continue;
        }
        *link = lock->outer;
        ceiling = lesser(ceiling, lock->ceiling);
        put_in_force_locked(lock, ceiling);
    }
    return ceiling < TAKT_PLACES;
}

/* The waiter that `link` leads to has the lock, and wakes. */
static void hand_over_locked(struct takt_lock *lock, struct takt_waiter **link)
{
    struct takt_mutex **last = &takt_locks.asleep;
    lock->mutex.owner = takt_set_first((*link)->woken.waiters);
    lock->mutex.outer = NULL;
    while (*last)
        last = &(*last)->outer;
    if (has_ceilings())
        *last = &lock->mutex; /* taken after all others of that thread */
    (void)takt_waiter_wake_locked(link);
}

/* Takes the lock if it is free; TAKT_EAGAIN: the caller may wait for it. */
static int try_locked(struct takt_mutex *mutex, bool may_block)
{
    uint8_t self = takt_core.current;
    if (mutex->owner == self)
        return TAKT_EOWNER;
    if (!may_block)
        return TAKT_ECONTEXT;
    if (!TAKT_ONE_THREAD && self < mutex->ceiling)
        return TAKT_EINVAL;
    if (mutex->owner != TAKT_NOBODY)
        return TAKT_EAGAIN;
    mutex->owner = self;
    if (has_ceilings())
        put_in_force_locked(mutex, lesser(mutex->ceiling, takt_locks.ceiling));
    return TAKT_OK;
}

int takt_lock_take(struct takt_lock *lock)
{
    TAKT_FACT("only threads");
    TAKT_FACT("locks");
    struct takt_waiter self = {0};
    int result = takt_is_null(lock) ? TAKT_EINVAL : takt_check_block();
    if (result < 0)
        return result;
    port_irq_save();
    result = try_locked(&lock->mutex, result);
    if (result == TAKT_EAGAIN)
        return takt_waiter_block_locked(&lock->first, &self);
    port_irq_restore(0);
    return result;
}

#if TAKT_HAS_TIME

int takt_lock_take_for(struct takt_lock *lock, uint32_t us)
{
    TAKT_FACT("only threads");
    TAKT_FACT("locks");
    struct takt_waiter self = {0};
    takt_time_t at = port_now() + us + 1;
    int result =
        us > TAKT_DURATION_MAX || takt_is_null(lock) ? TAKT_EINVAL : takt_check_block();
    if (result < 0)
        return result;
    port_irq_save();
    result = try_locked(&lock->mutex, result);
    if (result == TAKT_EAGAIN && us > 0)
        return takt_waiter_sleep_locked(&lock->first, &self, at);
    port_irq_restore(0);
    return result;
}

#endif

int takt_lock_give(struct takt_lock *lock)
{
    TAKT_FACT("unlocks");
    if (port_in_isr())
        return TAKT_ECONTEXT;
    port_irq_t irq = port_irq_save();
    int result = TAKT_EOWNER;
    if (irq) {
        result = TAKT_ECONTEXT;
    } else if (lock && lock->mutex.owner == takt_core.current &&
               (!has_ceilings() || takt_locks.innermost == &lock->mutex)) {
        struct takt_waiter **next = takt_waiter_first(&lock->first);
        if (has_ceilings())
            takt_mutex_release_locked(&lock->mutex);
        lock->mutex.owner = TAKT_NOBODY;
        if (*next)
            hand_over_locked(lock, next);
        takt_dispatch_locked(irq);
        result = TAKT_OK;
    }
    port_irq_restore(irq);
    return result;
}

#endif
