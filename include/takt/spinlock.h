/*
 * Spinlock: shuts out every other thread and interrupt handler for a few instructions.
 *
 * On one core that means interrupts off and nothing else: with fixed priorities a thread that
 * really spun for a less urgent holder would spin for ever. CPUs with an atomic exchange also take
 * a flag, which is what other cores spin on. Hold it for microseconds only: interrupts, budgets
 * and timers of this core wait meanwhile. For longer sections use takt_mutex.
 *
 * With several CPUs take it outside of port_irq_save() and other spinlocks, or in the same order
 * everywhere: what is called inside may take the kernel's lock.
 *
 * Memory order: taking acquires, releasing releases.
 */
#ifndef TAKT_SPINLOCK_H
#define TAKT_SPINLOCK_H

#include <takt/port.h>

struct takt_spinlock {
    uint8_t taken;    /* seen by other cores */
    port_irq_t state; /* interrupts before lock; the holder's */
};

#define TAKT_SPINLOCK_INIT {0, 0}

/* The kernel's lock is not for this: other CPUs need not wait for it. */
#if PORT_CPUS > 1
#define TAKT_SPINLOCK_SAVE_    port_local_save
#define TAKT_SPINLOCK_RESTORE_ port_local_restore
#else
#define TAKT_SPINLOCK_SAVE_    port_irq_save
#define TAKT_SPINLOCK_RESTORE_ port_irq_restore
#endif

#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_1
static inline void takt_spinlock_take_(struct takt_spinlock *lock)
{
    while (__atomic_exchange_n(&lock->taken, 1, __ATOMIC_ACQUIRE))
        while (__atomic_load_n(&lock->taken, __ATOMIC_RELAXED))
            ;
}
#else
/* No atomic exchange: one core, and interrupts are off. */
static inline void takt_spinlock_take_(struct takt_spinlock *lock)
{
    __atomic_store_n(&lock->taken, 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}
#endif

/* Locks. Either context. Not recursive. Bound: the longest section of another core. */
static inline void takt_spinlock_lock(struct takt_spinlock *lock)
{
    port_irq_t state = TAKT_SPINLOCK_SAVE_();
    takt_spinlock_take_(lock);
    lock->state = state;
}

/* Unlocks, restoring interrupts as they were. The holder. */
static inline void takt_spinlock_unlock(struct takt_spinlock *lock)
{
    port_irq_t state = lock->state;
    __atomic_store_n(&lock->taken, 0, __ATOMIC_RELEASE);
    TAKT_SPINLOCK_RESTORE_(state);
}

#endif
