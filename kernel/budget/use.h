/*
 * Which thread each stretch of CPU time belongs to: what is taken from budgets. Private to kernel/.
 *
 *   thread A | handler | dispatcher, switch | thread B ... blocks, dispatcher, switch | thread A
 *   --- A ---|------- the payer's ----------|---------------- B's -------------------|--- A ---
 *            ^ A's account stops            ^ B's opens                              ^ A's opens
 *
 * The rules (docs/guarantees.md, G8):
 *   - the account of the running thread stops where an interrupt comes and opens where the thread goes
 *     on; what the port's way in and out takes is constant and credited (PORT_ENTRY, ...)
 *   - unlocking a mutex that has held another thread up is as an interrupt there (PORT_HELD_UP)
 *   - a thread that leaves by itself, or whose budget has ended, pays until the next one's first
 *     instruction
 *   - the alarm's handler, and the dispatching after any handler, is paid by the thread that is woken by
 *     it; an alarm that wakes no thread by the one that set it
 *   - what a driver's handler takes is its source's, which admission counts
 *
 * Time is kept in whole microseconds and, where the port has a finer counter, in parts of one:
 * nothing is rounded away, what is less than a microsecond waits for the next charge.
 *
 *      from     up to here, time has been attributed
 *      used     the running thread's, not yet taken from its server
 *      kernel   of handlers and dispatching while the account is stopped; its payer is still to be found
 *      owed     (struct takt_vcpu) paid for a thread while it did not run; taken from its server next
 *
 * Invariant: from never goes back, so no time is attributed twice.
 */
#ifndef TAKT_KERNEL_USE_H
#define TAKT_KERNEL_USE_H

#include "vcpu.h"

/* Now, both clocks at once: so near that what lies between does not count. */
static inline struct takt_instant takt_instant_at(takt_time_t now)
{
#ifdef PORT_FINE
    return (struct takt_instant){now, port_fine()};
#else
    return (struct takt_instant){now};
#endif
}

static inline struct takt_instant takt_instant(void)
{
    return takt_instant_at(port_now());
}

#ifdef PORT_FINE

/* Distances the fine counter can tell: less than half its range. */
#define TAKT_FINE_REACH_US ((1ul << (PORT_FINE_BITS - 1)) / PORT_FINE - 2)

static inline takt_parts_t takt_fine_between(takt_fine_t from, takt_fine_t to)
{
    const int unused = 8 * sizeof from - PORT_FINE_BITS;
    return (takt_parts_t)((takt_parts_t)((takt_fine_t)(to - from) << unused) >> unused);
}

static inline void takt_instant_move(struct takt_instant *at, int32_t parts)
{
    at->fine = (takt_fine_t)(at->fine + (uint32_t)parts);
}

/* Whole microseconds of so many parts, without dividing: some too few at times, which wait. */
static inline uint32_t takt_whole(uint32_t parts)
{
    const uint32_t inverse = (uint32_t)((1ul << 21) / PORT_FINE);
    if (PORT_FINE_BITS == 16)
        return (takt_fine_t)parts / (takt_fine_t)PORT_FINE;
    if ((PORT_FINE & (PORT_FINE - 1)) == 0)
        return parts / PORT_FINE;
    return ((parts >> 16) * inverse >> 5) + ((parts & 0xFFFF) * inverse >> 21);
}

static inline void takt_span_add(struct takt_span *to, const struct takt_span *more)
{
    to->us += more->us;
    to->parts = (takt_fine_t)(to->parts + more->parts);
}

/* Time up to `at` goes to `to`. */
static inline void takt_use_add_locked(struct takt_span *to, struct takt_instant at)
{
    struct takt_instant from = takt_cpu.from;
    uint32_t us = at.us - from.us;
    if (us + TAKT_FINE_REACH_US <= 2 * TAKT_FINE_REACH_US) {
        takt_parts_t parts = takt_fine_between(from.fine, at.fine);
        if (parts <= 0)
            return;
        takt_fine_t sum = (takt_fine_t)(to->parts + (takt_fine_t)parts);
        takt_fine_t whole = 0; /* of two spans, the parts have room for the sum */
        if (PORT_FINE_BITS == 16 || sum >> 31)
            whole = (takt_fine_t)takt_whole(sum);
        to->us += whole;
        to->parts = (takt_fine_t)(sum - whole * (takt_fine_t)PORT_FINE);
    } else {
        to->us += us;
    }
    takt_cpu.from = at;
}

/* Takes the whole microseconds. */
static inline uint32_t takt_span_take(struct takt_span *span)
{
    uint32_t whole = takt_whole(span->parts), us = span->us + whole;
    span->us = 0;
    span->parts = (takt_fine_t)(span->parts - whole * PORT_FINE);
    return us;
}

static inline uint32_t takt_span_us(const struct takt_span *span)
{
    return span->us + takt_whole(span->parts);
}

#else

static inline void takt_instant_move(struct takt_instant *at, int32_t us)
{
    at->us += (takt_time_t)us;
}

static inline void takt_span_add(struct takt_span *to, const struct takt_span *more)
{
    to->us += more->us;
}

static inline void takt_use_add_locked(struct takt_span *to, struct takt_instant at)
{
    uint32_t us = at.us - takt_cpu.from.us;
    if ((int32_t)us <= 0)
        return;
    to->us += us;
    takt_cpu.from = at;
}

static inline uint32_t takt_span_take(struct takt_span *span)
{
    uint32_t us = span->us;
    span->us = 0;
    return us;
}

static inline uint32_t takt_span_us(const struct takt_span *span)
{
    return span->us;
}

#endif

/* What a port does not define is nothing, or noted by itself (takt/port.h). */
#ifndef PORT_ENTRY
#define PORT_ENTRY 0
#endif
#ifndef PORT_EXIT
#define PORT_EXIT 0
#endif
#ifndef PORT_BACK
#define PORT_BACK 0
#endif
#ifndef PORT_HELD_UP
#define PORT_HELD_UP 0
#endif

/* Before the first account opens. */
static inline void takt_use_start(void)
{
#ifdef PORT_FINE
    port_fine_start();
#endif
    takt_cpu.from = takt_instant();
}

/* The end of a budget is so much later by the clock than from where that is read on the way back to
 * the thread: what is left of the way, and parts of a us at both ends. */
#ifdef PORT_FINE
#define TAKT_USE_LATER_US (4 + TAKT_BUDGET_MARGIN_US / 4)
#else
#define TAKT_USE_LATER_US 0
#endif

static inline void takt_use_forget(struct takt_span *span)
{
    *span = (struct takt_span)TAKT_SPAN_NONE;
}

/* Where the payer's time goes. */
static inline struct takt_span *takt_use_payer_locked(void)
{
    return takt_cpu.payer != TAKT_NOBODY ? &takt_vcpu_of(takt_cpu.payer)->owed : &takt_cpu.kernel;
}

/* The account of the running thread opens, at `from`. */
static inline void takt_use_open_locked(void)
{
    takt_cpu.payer = TAKT_NOBODY;
    takt_cpu.stopped = takt_cpu.returning = false;
    takt_use_forget(&takt_cpu.kernel);
}

#ifdef PORT_NOTES_BACK
static __attribute__((noinline)) void takt_use_opened_there_locked(void)
{
    if (!port_has_resumed())
        return;
    takt_fine_t resumed = (takt_fine_t)(port_fine_resumed() + PORT_BACK);
    takt_parts_t parts = takt_fine_between(takt_cpu.from.fine, resumed);
    if (parts <= 0)
        return;
    struct takt_span *payer = takt_use_payer_locked();
    payer->parts = (takt_fine_t)(payer->parts + (takt_fine_t)parts);
    takt_cpu.from.fine = resumed;
    takt_use_open_locked();
}
#endif

/* If the thread that was to go on has done so, its account opened there; until then, the payer's
 * time. */
static inline __attribute__((always_inline)) void takt_use_returned_locked(void)
{
#ifdef PORT_NOTES_BACK
    if (takt_cpu.returning)
        takt_use_opened_there_locked();
#endif
}

/* Time up to `parts` from now goes to whose it is, as far as that is known. */
static inline void takt_use_lapse_by_locked(takt_time_t now, int32_t parts)
{
    struct takt_instant at = takt_instant_at(now);
    takt_use_returned_locked();
    takt_instant_move(&at, parts);
    takt_use_add_locked(takt_cpu.stopped ? &takt_cpu.kernel : &takt_cpu.used, at);
}

static inline void takt_use_lapse_locked(takt_time_t now)
{
    takt_use_lapse_by_locked(now, 0);
}

/* An interrupt has come, the outermost. */
static inline void takt_use_interrupted_locked(takt_time_t now)
{
#ifdef PORT_NOTES_ENTRY
    struct takt_instant at = {now, port_fine_entered()};
#else
    struct takt_instant at = takt_instant_at(now);
#endif
    takt_instant_move(&at, -PORT_ENTRY);
    takt_use_returned_locked();
    takt_cpu.was_stopped = takt_cpu.stopped;
    if (takt_cpu.asleep)
        takt_cpu.from = at; /* the CPU's sleep is no thread's */
    else
        takt_use_add_locked(takt_cpu.stopped ? &takt_cpu.kernel : &takt_cpu.used, at);
    takt_cpu.asleep = false;
    takt_cpu.stopped = true;
}

/* Its handlers are done, and so many parts from now it is left. `payer`: of the alarm's, or NULL.
 */
static inline void takt_use_handled_locked(struct takt_span *payer, int32_t exit)
{
    struct takt_instant at = takt_instant();
    takt_instant_move(&at, exit);
    if (payer)
        takt_use_add_locked(payer, at);
    else
        takt_cpu.from = at;
}

#endif
