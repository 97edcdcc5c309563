/*
 * Which thread each stretch of CPU time belongs to: what is taken from budgets. Private to kernel/.
 *
 *   thread A | handler | dispatcher, switch | thread B ... blocks, dispatcher, switch | thread A
 *   --- A ---|------- the payer's ----------|---------------- B's -------------------|--- A ---
 *            ^ A's account stops            ^ B's opens                              ^ A's opens
 *
 * One account pays for the time that passes: takt_cpu.payer points to its count, from which the
 * time since takt_cpu.from is taken at each change of the payer.
 *
 *      left     of a VCPU: what its server has given it and it has not yet used (server.h)
 *      kernel   handlers and dispatching, the thread that pays for which is still to be found
 *      spare    no thread's: the background, other handlers, setup()
 *
 * The rules (docs/guarantees.md, G8):
 *   - the account of the running thread stops where an interrupt comes and opens where the thread
 *     goes on; what the port's way in and out takes is constant and credited (PORT_ENTRY, ...)
 *   - unlocking a mutex that has held another thread up is as an interrupt there (PORT_HELD_UP)
 *   - a thread that leaves by itself, or whose budget has ended, pays until the next one's first
 *     instruction
 *   - the alarm's handler, and the dispatching after any handler, is paid by the thread that is
 *     woken by it; an alarm that wakes no thread by the one that set it
 *   - what a driver's handler takes is its source's, which admission counts
 *
 * Time is counted in parts of a us (TAKT_PARTS), in 32 bits: nothing is rounded away.
 *
 * Invariant: from never goes back, so no time is attributed twice.
 */
#ifndef TAKT_KERNEL_USE_H
#define TAKT_KERNEL_USE_H

#include "vcpu.h"

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

#ifdef PORT_FINE

/* By how much the port's counter, which read `count`, is ahead of `fine`: at most half its
 * range. */
static inline __attribute__((always_inline)) int32_t takt_fine_ahead(uint32_t count, uint32_t fine)
{
    const int unused = 32 - PORT_FINE_BITS;
    if (PORT_FINE_BITS == 16)
        return (int16_t)(uint16_t)(count - fine);
    return (int32_t)((count - fine) << unused) >> unused;
}

/* The same count in 32 bits. */
static inline __attribute__((always_inline)) uint32_t takt_fine_near(uint32_t count, uint32_t fine)
{
    return fine + (uint32_t)takt_fine_ahead(count, fine);
}

/* Now, both clocks at once: so near that what lies between does not count. */
static inline __attribute__((always_inline)) struct takt_instant takt_instant_at(takt_time_t now)
{
    if (PORT_FINE_BITS == 32)
        return (struct takt_instant){now, port_fine()};
    return (struct takt_instant){now, takt_fine_near(port_fine(), now * (uint32_t)TAKT_PARTS)};
}

/* Before the first account opens. */
static inline void takt_use_start(void)
{
    port_fine_start(port_now());
    takt_cpu.from = takt_instant_at(port_now());
}

/* The end of a budget is so much later by the clock than from where that is read on the way back to
 * the thread: what is left of the way, and parts of a us at both ends. */
#define TAKT_USE_LATER_US (4 + TAKT_BUDGET_MARGIN_US / 4)

/* May the parts come round between two alarms? */
#define COMES_ROUND (TAKT_ALARM_FAR > UINT32_MAX / PORT_FINE)

#else

#define COMES_ROUND 0

static inline __attribute__((always_inline)) struct takt_instant takt_instant_at(takt_time_t now)
{
    return (struct takt_instant){now, now};
}

static inline void takt_use_start(void)
{
    takt_cpu.from = takt_instant_at(port_now());
}

#define TAKT_USE_LATER_US 0

#endif

static inline __attribute__((always_inline)) struct takt_instant takt_instant(void)
{
    return takt_instant_at(port_now());
}

/* Time up to `at` is the payer's. Where `at` lies shortly before what has been attributed nothing
 * is; a thread without budget may have run until the fine clock was there again. */
static inline __attribute__((always_inline)) void takt_use_add_locked(struct takt_instant at)
{
    const uint32_t before = (uint32_t)1 << 20;
    uint32_t parts = at.fine - takt_cpu.from.fine;
    if (parts + before <= before && !(COMES_ROUND && at.us - takt_cpu.from.us > before))
        return;
    *takt_cpu.payer -= parts;
    takt_cpu.from = at;
}

/* Is the payer still to be found? */
static inline bool takt_use_stopped_locked(void)
{
    return takt_cpu.payer == &takt_cpu.kernel;
}

/* What the thread at `place` uses on its budget is counted there. */
static inline uint32_t *takt_account_of(uint8_t place)
{
    struct takt_vcpu *v = takt_vcpu_of(place);
    return v ? &v->left : &takt_cpu.spare;
}

static inline __attribute__((always_inline)) uint32_t *takt_own_account_locked(void)
{
    return takt_cpu.charging ? &takt_vcpu_of(takt_core.current)->left : &takt_cpu.spare;
}

/* The account of the running thread, `own`, opens at `from`. What no thread was found for is
 * none's. */
static inline void takt_use_open_as_locked(uint32_t *own)
{
    takt_cpu.payer = own;
    takt_cpu.returning = false;
    takt_cpu.kernel = 0;
}

static inline void takt_use_open_locked(void)
{
    takt_use_open_as_locked(takt_own_account_locked());
}

/* The account of the thread that was to go on opens where it has done so, if it has. */
void takt_use_opened_there_locked(void);

/* If the thread that was to go on has done so, its account opened there; until then, the payer's
 * time. */
static inline __attribute__((always_inline)) void takt_use_returned_locked(void)
{
#ifdef PORT_NOTES_BACK
    if (takt_cpu.returning)
        takt_use_opened_there_locked();
#endif
}

/* What handlers and the dispatcher have worked, as far as that is known, is taken from `own`. */
static inline __attribute__((always_inline)) void takt_use_bill_locked(uint32_t *own)
{
    *own += takt_cpu.kernel;
    takt_cpu.kernel = 0;
}

/* Time up to `parts` from now is the payer's. */
void takt_use_lapse_by_locked(uint32_t parts);

static inline __attribute__((always_inline)) void takt_use_lapse_locked(void)
{
    takt_use_lapse_by_locked(0);
}

/* An interrupt has come, the outermost. */
static inline void takt_use_interrupted_locked(takt_time_t now)
{
    struct takt_instant at = takt_instant_at(now);
#ifdef PORT_NOTES_ENTRY
    at.fine = takt_fine_near(port_fine_entered(), at.fine);
#endif
    at.fine -= PORT_ENTRY;
    takt_use_returned_locked();
    if (takt_cpu.asleep)
        takt_cpu.from = at; /* the CPU's sleep is no thread's */
    else
        takt_use_add_locked(at);
    takt_cpu.asleep = false;
    takt_cpu.interrupted = takt_cpu.payer;
}

/* Its handlers are done, `payer` pays for them; so many parts from now it is left. */
static inline void takt_use_handled_locked(uint32_t *payer, uint32_t exit)
{
    struct takt_instant at = takt_instant();
    at.fine += exit;
    takt_cpu.payer = payer;
    takt_use_add_locked(at);
}

#endif
