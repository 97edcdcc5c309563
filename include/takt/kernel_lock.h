/*
 * The kernel's lock where there are several CPUs (PORT_CPUS > 1): a ticket lock, so CPUs get it in
 * the order in which they asked, and no CPU waits for more than one section of each other CPU
 * (Mellor-Crummey and Scott 1991). It belongs to a CPU, not to a thread: a switch takes it along.
 *
 *     next     the ticket that is given out next        next == serving: free
 *     serving  the ticket that may go on now            next - serving: the holder and those
 *              waiting
 *     owner    the CPU that holds it, or none: so a CPU can tell whether it does
 *
 * For a port: port_irq_save() switches interrupts off and takes it unless the CPU holds it already,
 * port_irq_restore() undoes what that did, port_idle() gives it away while asleep. To be included
 * by port_inline.h, behind port_cpu() and port_relax(). The kernel itself gives it away
 * where it waits or works on what is one CPU's own.
 *
 * Memory order: taking acquires, giving releases. `owner` is compared with the own index only,
 * which no other CPU ever stores: relaxed will do. tests/models/cpus.pml has it, with the
 * interrupts.
 */
#ifndef TAKT_KERNEL_LOCK_H
#define TAKT_KERNEL_LOCK_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In an interrupt state: the CPU had it already. */
#define TAKT_IRQ_LOCKED 2u

struct takt_kernel_lock {
    uint16_t next;
    uint16_t serving;
    uint8_t owner;
};

extern struct takt_kernel_lock takt_kernel_lock;

/* Does this CPU hold it? Interrupts off. */
static inline bool takt_kernel_lock_mine(void)
{
    return __atomic_load_n(&takt_kernel_lock.owner, __ATOMIC_RELAXED) == port_cpu();
}

/* Interrupts off; this CPU does not hold it. */
static inline void takt_kernel_lock_take(void)
{
    struct takt_kernel_lock *lock = &takt_kernel_lock;
    uint16_t ticket = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE) != ticket)
        port_relax();
    __atomic_store_n(&lock->owner, port_cpu(), __ATOMIC_RELAXED);
}

/* Interrupts off; this CPU holds it. */
static inline void takt_kernel_lock_give(void)
{
    struct takt_kernel_lock *lock = &takt_kernel_lock;
    uint16_t ticket = __atomic_load_n(&lock->serving, __ATOMIC_RELAXED);
    __atomic_store_n(&lock->owner, TAKT_NO_CPU, __ATOMIC_RELAXED);
    __atomic_store_n(&lock->serving, (uint16_t)(ticket + 1), __ATOMIC_RELEASE);
}

#ifdef __cplusplus
}
#endif

#endif
