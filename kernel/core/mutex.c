/*
 * Mutex with immediate priority ceiling (include/takt/mutex.h). Locking raises the CPU's ceiling,
 * unlocking restores what was before: two bytes of state per CPU, kept in the mutex while nested.
 * takt_pick_locked() does the rest. With several CPUs section.c comes before that.
 */
#include "cpu.h"

#include <takt/mutex.h>

#if TAKT_HAS_MUTEX

/* One CPU: whoever locks it and finds it owned is the owner, as the ceiling keeps all others away.
 * Several: who finds others in it waits. */
static inline bool is_owned_locked(const struct takt_mutex *mutex)
{
    return PORT_CPUS > 1 ? mutex->owner == takt_core.current : mutex->owner != TAKT_NOBODY;
}

int takt_mutex_lock(struct takt_mutex *mutex)
{
    if (takt_is_null(mutex))
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    port_irq_t irq = port_irq_save();
    int result = TAKT_OK;
    if (irq || takt_self() == TAKT_NOBODY) {
        result = TAKT_ECONTEXT;
    } else if (is_owned_locked(mutex)) {
        result = TAKT_EOWNER;
    } else if (takt_core.current < mutex->ceiling) {
        result = TAKT_EINVAL;
    } else {
        if (PORT_CPUS > 1)
            takt_section_enter_locked();
        TAKT_FACT("locks");
        mutex->owner = takt_core.current;
        mutex->outer = takt_locks.innermost;
        mutex->outer_ceiling = takt_locks.ceiling & 0x7Fu;
        mutex->outer_looked = takt_locks.looked;
        if (mutex->ceiling < takt_locks.ceiling)
            takt_locks.ceiling = mutex->ceiling;
        if (PORT_CPUS > 1 && takt_cpus() > 1)
            takt_locks.ceiling = 0;
        takt_locks.looked = false;
        takt_locks.holder = takt_core.current;
        takt_locks.innermost = mutex;
    }
    port_irq_restore(irq);
    return result;
}

int takt_mutex_unlock(struct takt_mutex *mutex)
{
    TAKT_FACT("unlocks");
    if (port_in_isr())
        return TAKT_ECONTEXT;
    port_irq_t irq = port_irq_save();
    int result = TAKT_EOWNER;
    if (irq) {
        result = TAKT_ECONTEXT;
    } else if (mutex && takt_locks.innermost == mutex && mutex->owner == takt_core.current) {
        mutex->owner = TAKT_NOBODY;
        takt_locks.ceiling = mutex->outer_ceiling;
        takt_locks.innermost = mutex->outer;
        takt_locks.holder = mutex->outer ? mutex->outer->owner : TAKT_NOBODY;
        if (PORT_CPUS > 1)
            takt_section_leave_locked();
        bool goes_on = takt_goes_on_locked();
        takt_locks.looked |= mutex->outer_looked;
        if (!goes_on)
            takt_dispatch_locked(irq);
        result = TAKT_OK;
    }
    port_irq_restore(irq);
    return result;
}

#endif
