/* Condition variables (include/takt/cond.h). */
#include "waiters.h"

#include <takt/cond.h>

#if TAKT_HAS_MUTEX

/* May the caller wait and unlock this mutex? */
static int check_locked(const struct takt_mutex *mutex)
{
    if (takt_is_null(mutex))
        return TAKT_EINVAL;
    if (takt_locks.innermost != mutex || mutex->owner != takt_core.current)
        return TAKT_EOWNER;
    const struct takt_mutex *other = mutex->outer;
    while (other && other->owner != takt_core.current)
        other = other->outer;
    return other ? TAKT_ECONTEXT : TAKT_OK;
}

/* As takt_check_block(), with interrupts off from then on; the mutex, which it may hold, aside. */
static int enter(const struct takt_cond *cond, const struct takt_mutex *mutex)
{
    int result = takt_is_null(cond) ? TAKT_EINVAL : takt_check_block();
    if (result < 0)
        return result;
    port_irq_save();
    result = check_locked(mutex);
    if (result != TAKT_OK)
        port_irq_restore(0);
    return result;
}

int takt_cond_wait(struct takt_cond *cond, struct takt_mutex *mutex)
{
    TAKT_FACT("only threads");
    TAKT_FACT("relocks");
    struct takt_waiter self = {0};
    int result = enter(cond, mutex);
    if (result != TAKT_OK)
        return result;
    takt_mutex_release_locked(mutex);
    result = takt_waiter_block_locked(&cond->first, &self);
    takt_mutex_lock(mutex);
    return result;
}

#if TAKT_HAS_TIME

int takt_cond_wait_for(struct takt_cond *cond, struct takt_mutex *mutex, uint32_t us)
{
    TAKT_FACT("only threads");
    TAKT_FACT("relocks");
    struct takt_waiter self = {0};
    if (us > TAKT_DURATION_MAX)
        return TAKT_EINVAL;
    takt_time_t at = port_now() + us + 1;
    int result = enter(cond, mutex);
    if (result != TAKT_OK)
        return result;
    if (us == 0) {
        port_irq_restore(0);
        return TAKT_ETIMEOUT;
    }
    takt_mutex_release_locked(mutex);
    result = takt_waiter_sleep_locked(&cond->first, &self, at);
    takt_mutex_lock(mutex);
    return result;
}

#endif

/* One thread, or all; returns whether one of this CPU was among them. No thread waits twice. */
static __attribute__((noinline)) bool wake_locked(struct takt_waiter **link, bool all)
{
    TAKT_FACT("takes critical");
    bool here = false;
    while (*(link = takt_waiter_first(link))) {
        here |= takt_waiter_wake_locked(link);
        if (!all)
            break;
    }
    return here;
}

static int wake(struct takt_cond *cond, bool all)
{
    if (takt_is_null(cond))
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    port_irq_t irq = port_irq_save();
    int result = irq || !takt_started() ? TAKT_ECONTEXT : TAKT_OK;
    if (result == TAKT_OK && wake_locked(&cond->first, all))
        takt_dispatch_locked(irq);
    port_irq_restore(irq);
    return result;
}

int takt_cond_signal(struct takt_cond *cond)
{
    return wake(cond, false);
}

int takt_cond_broadcast(struct takt_cond *cond)
{
    return wake(cond, true);
}

#endif
