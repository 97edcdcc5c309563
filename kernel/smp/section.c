/*
 * Mutexes on several CPUs: the multiprocessor stack resource policy (Gai, Lipari and Di Natale
 * 2001) with all mutexes as one group (Block et al. 2007).
 *
 * A thread that locks a mutex while holding none takes a ticket, and waits for its turn running, in
 * the order of tickets, with interrupts on and at the highest ceiling: so no CPU has more than one
 * thread that waits or is in a section, and no section is longer for being preempted. It ends when
 * the last mutex is unlocked. Then
 *
 *   - a thread waits for at most one section of each other CPU, once per outermost lock; that is taken
 *     from its own budget
 *   - more urgent threads of its CPU are kept from running for at most as many sections as there are
 *     CPUs: the wait, and the section
 *   - there is no deadlock, in whatever order mutexes are nested, as on one CPU: with a turn for each
 *     mutex there would be
 *
 * What that costs: sections of unrelated mutexes do not run at the same time. They are meant to be
 * short.
 */
#include "core/cpu.h"

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

#else
typedef int takt_sections_need_several_cpus;
#endif
