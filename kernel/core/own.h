/*
 * What is one CPU's own (cpus.h) needs its interrupts off, and not the kernel's lock. With one CPU
 * that is one thing. Private to kernel/.
 */
#ifndef TAKT_KERNEL_OWN_H
#define TAKT_KERNEL_OWN_H

#include <takt/port.h>

#if PORT_CPUS > 1

/* What other CPUs add to, looked at without the lock: a CPU that misses something is kicked. */
#define TAKT_SEEN(what) __atomic_load_n(&(what), __ATOMIC_RELAXED)

/* The same, changed under the lock. */
#define TAKT_SHOW(what, value) __atomic_store_n(&(what), (value), __ATOMIC_RELAXED)

/* A number that other CPUs add to without the lock: is taken, and nothing is left. Interrupts off.
 */
static inline void takt_add_own(uint32_t *to, uint32_t n)
{
    (void)__atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

static inline uint32_t takt_take_own(uint32_t *from)
{
    return __atomic_exchange_n(from, 0, __ATOMIC_RELAXED);
}

/* This CPU's interrupts, for what is its own. */
#define takt_own_save    port_local_save
#define takt_own_restore port_local_restore

/* The kernel's lock alone, interrupts being off: for what all CPUs share, and given away
 * meanwhile by a caller that came with `irq`, unless it had the lock before. */
static inline void takt_lock_own(port_irq_t irq)
{
    if (!(irq & TAKT_IRQ_LOCKED))
        takt_kernel_lock_take();
}

static inline void takt_unlock_own(port_irq_t irq)
{
    if (!(irq & TAKT_IRQ_LOCKED))
        takt_kernel_lock_give();
}

#else

#define TAKT_SEEN(what)        (what)
#define TAKT_SHOW(what, value) ((what) = (value))
#define takt_own_save          port_irq_save
#define takt_own_restore       port_irq_restore

static inline void takt_lock_own(port_irq_t irq)
{
    (void)irq;
}

static inline void takt_unlock_own(port_irq_t irq)
{
    (void)irq;
}

static inline void takt_add_own(uint32_t *to, uint32_t n)
{
    *to += n;
}

static inline uint32_t takt_take_own(uint32_t *from)
{
    uint32_t n = *from;
    *from = 0;
    return n;
}

#endif
#endif
