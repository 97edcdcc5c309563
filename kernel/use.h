/*
 * How long the running thread has had the CPU: what is taken from its budget. Private to kernel/.
 *
 * In whole microseconds of the kernel's clock. Where a microsecond is many instructions that is too
 * coarse: a thread always begins a little after an alarm, that is after a microsecond has begun, and
 * would pay for that part, too, and for the dispatcher's way from an interrupt and to the thread. A
 * port of that kind has a finer clock (PORT_FINE parts of a microsecond), and then
 *
 *     interrupt | handler | dispatcher ... switch | thread | handler ...
 *                                                 from     to
 *
 * what is charged is rounded up, and what has been paid too much goes off the next charge.
 *
 * Invariant: of each thread, charged = used + paid, 0 <= paid < 1 us. So rounding lets nobody exceed a
 * budget, and in the long run a thread has what it pays for.
 */
#ifndef TAKT_KERNEL_USE_H
#define TAKT_KERNEL_USE_H

#include "cpu.h"

#ifdef PORT_FINE

/* A charge is rounded up: within the last us of a budget it has come to its end. Were that waited for,
 * whose end is nearer than a handler is long would be interrupted again and again. */
#define TAKT_USE_ROUNDED 1

/* Use begins now, or begins anew: what has passed is nobody's. */
static inline void takt_use_from_locked(takt_time_t now)
{
    takt_cpu.charged = now;
    takt_cpu.fine = port_fine();
    port_fine_resumes();
}

/* A thread goes on: the way to it, so far, is nobody's, on such ports only. */
static inline void takt_use_skip_locked(void)
{
    takt_use_from_locked(port_now());
}

/* Nor is the way from a handler until use is next asked for. */
static inline void takt_use_stop_locked(void)
{
    takt_cpu.fine += 1000000ull * PORT_FINE;
}

/* Adds use up to `until`; a way back from an interrupt before is none. */
static inline void takt_use_add_locked(takt_time_t now, uint64_t until)
{
    uint64_t from = takt_cpu.fine, resumed = port_fine_resumed();
    if ((int64_t)(resumed - from) > 0)
        from = resumed;
    if ((int64_t)(until - from) > 0)
        takt_cpu.spent_fine += until - from;
    takt_cpu.charged = now;
    takt_cpu.fine = until;
}

/* A handler begins. */
static inline void takt_use_to_locked(takt_time_t now)
{
    takt_use_add_locked(now, port_fine_entered());
}

/* Forgets all use not yet taken. */
static inline void takt_use_forget_locked(void)
{
    takt_cpu.used = 0;
    takt_cpu.spent_fine = 0;
}

/* All use up to now, in us, which nobody is charged. */
static inline uint32_t takt_use_drop_locked(takt_time_t now)
{
    takt_use_add_locked(now, port_fine());
    uint32_t us = takt_cpu.used + (uint32_t)(takt_cpu.spent_fine / PORT_FINE);
    takt_use_forget_locked();
    return us;
}

/* All use up to now, in us, to charge the running thread. */
static inline uint32_t takt_use_take_locked(takt_time_t now)
{
    uint32_t *paid = &takt_tcbs[takt_core.current].paid;
    takt_use_add_locked(now, port_fine());
    uint64_t spent = takt_cpu.spent_fine;
    uint64_t whole = spent > *paid ? (spent - *paid + PORT_FINE - 1) / PORT_FINE : 0;
    uint32_t us = takt_cpu.used + (uint32_t)whole;
    *paid += (uint32_t)(whole * PORT_FINE - spent);
    takt_use_forget_locked();
    return us;
}

/* When the charge will have come to `us`, rounded down: it then has. The thread is on its way, which
 * takes less than half a us. */
static inline takt_time_t takt_use_ends_locked(uint32_t us)
{
    uint64_t more = (uint64_t)((int64_t)us - takt_cpu.used) * PORT_FINE;
    uint64_t end = takt_cpu.fine - takt_cpu.spent_fine + takt_tcbs[takt_core.current].paid + more;
    return (takt_time_t)((end + PORT_FINE / 2) / PORT_FINE);
}

#else

#define TAKT_USE_ROUNDED 0

static inline void takt_use_from_locked(takt_time_t now)
{
    takt_cpu.charged = now;
}

static inline void takt_use_skip_locked(void)
{
}

static inline void takt_use_stop_locked(void)
{
}

static inline void takt_use_to_locked(takt_time_t now)
{
    takt_cpu.used += now - takt_cpu.charged;
    takt_cpu.charged = now;
}

static inline void takt_use_forget_locked(void)
{
    takt_cpu.used = 0;
}

static inline uint32_t takt_use_take_locked(takt_time_t now)
{
    uint32_t used = takt_cpu.used + (now - takt_cpu.charged);
    takt_cpu.used = 0;
    takt_cpu.charged = now;
    return used;
}

/* A macro: inline functions come out as other code. */
#define takt_use_ends_locked(us) (takt_cpu.charged - takt_cpu.used + (us))

#endif
#endif
