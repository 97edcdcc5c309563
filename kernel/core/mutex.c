/*
 * Mutex with immediate priority ceiling (include/takt/mutex.h). Locking raises the CPU's ceiling,
 * unlocking restores what was before, which is kept in the mutex meanwhile. takt_pick_locked() does
 * the rest, or, in the port's own dispatcher, the set of threads that are kept away (takt_core).
 *
 * Several CPUs: the multiprocessor stack resource policy (Gai, Lipari and Di Natale 2001) with all
 * mutexes as one group (Block et al. 2007).
 *
 * A thread that locks a mutex while holding none takes a ticket, and waits for its turn running, in
 * the order of tickets, with interrupts on and at the highest ceiling: so no CPU has more than one
 * thread that waits or is in a section, and no section is longer for being preempted. It ends when
 * the last mutex is unlocked. Then
 *
 *   - a thread waits for at most one section of each other CPU, once per outermost lock; that is
 *     taken from its own budget
 *   - more urgent threads of its CPU are kept from running for at most as many sections as there
 *     are CPUs: the wait, and the section
 *   - there is no deadlock, in whatever order mutexes are nested, as on one CPU: with a turn for
 *     each mutex there would be
 *
 * What that costs: sections of unrelated mutexes do not run at the same time. They are meant to be
 * short.
 */
#include "cpu.h"

#include <takt/mutex.h>

#if TAKT_HAS_MUTEX

#if PORT_CPUS > 1

static struct {
    uint16_t next;    /* ticket given out next */
    uint16_t serving; /* the ticket whose turn it is */
} turns;

static inline bool is_turn_of(uint16_t ticket)
{
    return __atomic_load_n(&turns.serving, __ATOMIC_ACQUIRE) == ticket;
}

void takt_section_enter_locked(void)
{
    if (takt_cpus() == 1 || takt_locks.innermost)
        return;
    takt_locks.ceiling = 0;
    takt_locks.holder = takt_core.current;
    uint16_t ticket = turns.next++;
    port_irq_restore(0);
    while (!is_turn_of(ticket))
        port_relax();
    port_irq_save();
    takt_locks.ceiling = TAKT_PLACES; /* what it was */
}

void takt_section_leave_locked(void)
{
    if (takt_cpus() > 1 && !takt_locks.innermost)
        __atomic_store_n(&turns.serving, (uint16_t)(turns.serving + 1), __ATOMIC_RELEASE);
}

#endif

/* One CPU: a thread that finds it owned is the owner, as the ceiling keeps all other threads away.
 * Several: a thread that finds another in it waits. */
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
    if (irq || !takt_started()) {
        result = TAKT_ECONTEXT;
    } else if (is_owned_locked(mutex)) {
        result = TAKT_EOWNER;
    } else if (!TAKT_ONE_THREAD && takt_core.current < mutex->ceiling) {
        result = TAKT_EINVAL;
    } else {
        bool looked = TAKT_HAS_BUDGETS && takt_locks.looked;
        if (TAKT_HAS_BUDGETS)
            takt_locks.looked = false; /* the dispatcher may run during the wait for a turn */
        if (PORT_CPUS > 1)
            takt_section_enter_locked();
        TAKT_FACT("locks");
        mutex->owner = takt_core.current;
        mutex->outer = takt_locks.innermost;
        mutex->outer_ceiling = takt_locks.ceiling & 0x7Fu;
        mutex->outer_looked = looked;
        uint8_t ceiling =
            mutex->ceiling < takt_locks.ceiling ? mutex->ceiling : takt_locks.ceiling;
        takt_keep_away_locked(PORT_CPUS > 1 && takt_cpus() > 1 ? 0 : ceiling, takt_core.current);
        takt_locks.innermost = mutex;
    }
    port_irq_restore(irq);
    return result;
}

/* The innermost, of the running thread. */
static inline __attribute__((always_inline)) void release_locked(struct takt_mutex *mutex)
{
    mutex->owner = TAKT_NOBODY;
    takt_keep_away_locked(mutex->outer_ceiling, mutex->outer ? mutex->outer->owner : TAKT_NOBODY);
    takt_locks.innermost = mutex->outer;
    if (PORT_CPUS > 1)
        takt_section_leave_locked();
}

void takt_mutex_release_locked(struct takt_mutex *mutex)
{
    release_locked(mutex);
    if (TAKT_HAS_BUDGETS)
        takt_locks.looked |= mutex->outer_looked;
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
        release_locked(mutex);
        bool goes_on = TAKT_ONE_THREAD || (TAKT_HAS_BUDGETS && takt_goes_on_locked());
        if (TAKT_HAS_BUDGETS)
            takt_locks.looked |= mutex->outer_looked;
        if (!goes_on)
            takt_dispatch_locked(irq);
        result = TAKT_OK;
    }
    port_irq_restore(irq);
    return result;
}

#endif
