/*
 * Scheduling with budgets: Main VCPUs (Qduino II-A).
 *
 * Handlers only note what happened: which threads were woken, that the alarm rang. The dispatcher,
 * always in thread context and never entered twice (takt_cpu.busy), does the rest with interrupts
 * on (bands.c), and only when nothing new has happened chooses, opens the next account and
 * switches, with interrupts off throughout. The alarm is set for the end of the running budget and
 * for the earliest replenishment in `spent` (alarm.c).
 *
 * All CPU time is attributed (use.h): a thread that wakes, or leaves, pays for what the kernel does
 * for that. So a thread that wakes often uses up its own budget, and none of those below it.
 *
 * Several CPUs: the dispatcher works without the kernel's lock, which it gives away as soon as the
 * thread that blocks is no longer ready, and takes to look at what other CPUs have for it.
 */
#include "use.h"

#include <takt/isr.h>

#if TAKT_HAS_BUDGETS

/* Why the dispatcher runs: the running thread was preempted, or has called (CALLED: and has held up
 * no other by a mutex, as is known by then); BLOCKS + reason when it blocks. */
enum { PREEMPTED, ASKED, CALLED, BLOCKS };

/* Are usual switches done at once (see below)? */
#ifndef PORT_SHORT_STACKS
#define PORT_SHORT_STACKS 0
#endif
#define AT_ONCE (PORT_CPUS == 1 && !PORT_SHORT_STACKS && (!TAKT_HAS_TRACE || TAKT_DYNAMIC))

/* A thread that leaves is settled then, for the trace to tell when it had its budget; else when it
 * wakes. */
#define SETTLES_EARLY (TAKT_HAS_TRACE && !TAKT_DYNAMIC)

#define ANEW ((uint32_t)1 << 16) /* see dispatch_work() */

/* Of the thread that ran before, and the one that the dispatcher itself is on. */
static inline __attribute__((always_inline)) void check_stacks(void)
{
    takt_check_stack(takt_core.context);
    takt_check_isr_stack();
}

/* The running thread, which left by itself, goes on. */
static void open_locked(void)
{
    uint32_t *own = takt_own_account_locked();
    if (takt_cpu.payer != own)
        takt_use_add_locked(takt_instant());
    takt_use_open_as_locked(own);
}

/* The same for one that was preempted, and goes on by the port's way out of interrupts: where the
 * port notes when, its account opens then (takt_use_returned_locked()). */
static inline void opens_by_note_locked(void)
{
#ifdef PORT_NOTES_BACK
    port_fine_resumes();
    takt_cpu.returning = true;
#else
    open_locked();
#endif
}

void takt_begin_locked(uint8_t next, takt_time_t since)
{
    bool charging = takt_set_has(takt_core.ready, next);
    takt_cpu.foreground = takt_cpu.charging = charging;
    takt_note_locked(TAKT_EV_RUN, next, ((port_now() - since) << 1) | !charging);
}

void takt_open_locked(void)
{
    open_locked();
}

void takt_lapse_locked(void)
{
    takt_use_lapse_locked();
}

/* Is `next` running already, in the band it should be in? */
static bool runs_already(uint8_t next)
{
    bool foreground = takt_set_has(takt_core.ready, next);
    return next == takt_core.current && takt_cpu.foreground == foreground &&
           takt_cpu.charging == foreground;
}

/* The thread that runs next, if that is plain: nothing is pending, no bottom half or mutex is
 * about, and the most urgent has run before and is in time. Otherwise TAKT_NOBODY. */
static uint8_t plain_next_locked(takt_time_t now)
{
    if (!takt_core.ready || (TAKT_HAS_IO && (takt_core.ready & takt_cpu.bottoms)) ||
        takt_locks.ceiling < TAKT_PLACES)
        return TAKT_NOBODY;
    uint8_t next = takt_set_first(takt_core.ready);
    struct takt_vcpu *v = takt_vcpu_of(next);
    if (takt_set_has(takt_cpu.fresh, next) || now - v->list[0].at >= v->period)
        return TAKT_NOBODY;
    check_stacks();
    return next;
}

/* Is no thread ready, and plainly so? */
static inline bool none_ready_locked(void)
{
    return !(takt_core.ready | takt_cpu.background) && takt_locks.ceiling == TAKT_PLACES;
}

/* No thread is ready: the time until an interrupt is none's, what came before the payer's. */
static void sleep_locked(void)
{
    takt_use_lapse_locked();
    takt_cpu.payer = &takt_cpu.kernel;
    takt_cpu.kernel = 0;
    takt_cpu.asleep = true;
    takt_watch_locked();
    do
        takt_idle_locked();
    while (takt_cpu.asleep && !takt_pending_locked());
    if (takt_cpu.asleep) /* woken by a handler that has no brackets */
        takt_cpu.from = takt_instant();
    takt_cpu.asleep = false;
}

/* The thread that runs next, all work done. */
static uint8_t choose_locked(port_irq_t irq)
{
    takt_locks.looked |= takt_locks.ceiling < TAKT_PLACES;
    for (;;) {
        takt_catch_up_locked(irq);
        uint8_t next = plain_next_locked(port_now());
        if (next != TAKT_NOBODY) {
            takt_breathe_own(irq);
        } else if (none_ready_locked() || (next = takt_pick_locked()) == TAKT_NOBODY) {
            takt_lock_own(irq);
            sleep_locked();
            takt_unlock_own(irq);
            continue;
        } else if (!runs_already(next)) {
            check_stacks();
            takt_own_restore(irq);
            takt_prepare(next, irq);
            takt_own_save();
        }
        if (!takt_pending_locked())
            return next;
    }
}

/* The thread that ran before, and was stopped at `since`, goes on. */
static void resume_locked(uint32_t why, takt_time_t since)
{
    if (why == PREEMPTED) {
        takt_use_lapse_locked();
        takt_note_locked(TAKT_EV_ISR, TAKT_DISPATCH_SOURCE, port_now() - since);
    } else {
        open_locked();
    }
    takt_watch_locked();
}

/* For the trace: what the running thread, which blocks, had of its budget, and why it blocks. */
static inline void note_leaving_locked(uint8_t self, enum takt_block_reason reason)
{
    if (!TAKT_HAS_TRACE)
        return;
    if (takt_cpu.charging)
        takt_note_locked(TAKT_EV_CHUNK, self, port_now() - takt_vcpu_of(self)->list[0].at);
    takt_note_locked(TAKT_EV_BLOCK, self, reason);
    if (TAKT_HAS_TIME && reason == TAKT_BLOCK_SLEEP)
        takt_note_locked(TAKT_EV_DUE, self, takt_wakes[self]);
}

/* The running thread stops. The lock is kept until no CPU can take it for ready. */
static void leave_locked(enum takt_block_reason reason, port_irq_t irq)
{
    uint8_t self = takt_core.current;
    takt_set_t others = (takt_set_t)~takt_set_of(self);
    takt_core.ready &= others;
    takt_cpu.background &= others;
    takt_cpu.spent &= others;
    if (PORT_CPUS > 1)
        takt_cpu.woken &= others; /* by a CPU that came in between these changes */
    takt_cpu.blocking = true;
    takt_unlock_own(irq);
    takt_time_t now = port_now();
    if (takt_is_over_locked(now) || (SETTLES_EARLY && takt_cpu.charging)) {
        takt_use_lapse_locked();
        takt_settle_locked(now, irq);
    }
    note_leaving_locked(self, reason);
    takt_locks_sleep_locked();
    takt_cpu.charging = takt_cpu.blocking = false;
    takt_core.current = TAKT_NOBODY;
    takt_breathe_own(irq);
}

/* The most urgent of a band. Ceilings count only where there are bottom halves in it, as in
 * takt_pick_locked(), which takes longer. */
static inline __attribute__((always_inline)) uint8_t first_of_locked(takt_set_t set)
{
    return TAKT_HAS_IO && (set & takt_cpu.bottoms) ? takt_pick_locked() : takt_set_first(set);
}

/* The thread that is more urgent than the running one and was ready before that called: a mutex of
 * the running thread, unlocked now, has held it up. */
static uint8_t held_up_locked(void)
{
    uint8_t first = takt_core.ready ? first_of_locked(takt_core.ready) : TAKT_NOBODY;
    return first != takt_core.current && first < takt_locks.ceiling ? first : TAKT_NOBODY;
}

/* The running thread, whose budget has ended, pays for what has ended it and for what follows. */
static void pays_for_its_end_locked(void)
{
    uint32_t *own = takt_account_of(takt_core.current);
    if (takt_use_stopped_locked())
        takt_use_lapse_locked();
    *own += takt_cpu.kernel;
    takt_cpu.kernel = 0;
    takt_cpu.payer = own;
}

/* The running thread's account is brought up to date: up to the interrupt if it was preempted. A
 * thread that leaves, calls, or has come to the end of its budget pays for what follows. Returns
 * since when it has not run. */
static takt_time_t close_locked(uint32_t why, port_irq_t irq)
{
    takt_time_t now = port_now();
    uint8_t first = why == ASKED ? held_up_locked() : TAKT_NOBODY;
    if (first != TAKT_NOBODY) {
        takt_use_lapse_by_locked((uint32_t)0 - PORT_HELD_UP);
        takt_cpu.payer = takt_account_of(first);
    } else if (why != PREEMPTED) {
        takt_use_returned_locked();
    } else if (!takt_use_stopped_locked()) {
        takt_use_lapse_locked();
        takt_cpu.payer = &takt_cpu.kernel;
    }
    if (why >= BLOCKS) {
        leave_locked((enum takt_block_reason)(why - BLOCKS), irq);
        return now;
    }
    takt_unlock_own(irq);
    if (takt_is_over_locked(now)) {
        takt_use_lapse_locked();
        if (takt_settle_locked(now, irq))
            pays_for_its_end_locked();
        takt_breathe_own(irq);
    }
    return why == PREEMPTED ? takt_cpu.isr_start[0] : now;
}

/* The running thread has called, and is preempted by `next`, which pays from here on as after an
 * interrupt. */
static void pass_on_locked(uint8_t next)
{
    uint32_t *own = takt_set_has(takt_core.ready, next) ? takt_account_of(next) : &takt_cpu.kernel;
    if (takt_cpu.payer == own)
        return;
    takt_use_lapse_locked();
    takt_cpu.payer = own;
}

/* All that is to be done, the lock given away meanwhile, on the interrupts' stack. Returns whether
 * another runs now or the same anew, and if so on whose stack the CPU is (bits 0-7) and what runs
 * (8-15). */
static uint32_t dispatch_work(port_irq_t irq, uint32_t why)
{
    TAKT_FACT("called isr stack");
    uint8_t self, next;
    takt_time_t since;
    takt_cpu.busy = true;
    takt_cpu.asked = false;
    since = close_locked(why, irq);
    next = choose_locked(irq);
    takt_cpu.busy = false;
    if (runs_already(next)) {
        resume_locked(why, since);
        takt_lock_own(irq);
        return 0;
    }
    if (why == ASKED || (AT_ONCE && why == CALLED))
        pass_on_locked(next);
    takt_begin_locked(next, since);
    self = takt_enter_locked(next);
    if (takt_set_has(takt_cpu.fresh, next) && !takt_set_has(takt_cpu.doomed, next)) {
        takt_cpu.fresh = takt_set_without(takt_cpu.fresh, takt_set_of(next));
        open_locked(); /* it will not come back here, but start at its entry */
    }
    takt_watch_locked();
    takt_lock_own(irq);
    return ANEW | (uint32_t)next << 8 | self;
}

/*
 * The usual switches need none of that: the running thread, which pays, leaves to the most urgent,
 * which has run before and is in time, or calls one that keeps the date of its budget; nothing else
 * is to be done. What is short is done at once, with interrupts off, on the thread's stack. What is
 * not so returns TAKT_NOBODY or STAYS, with nothing changed that the dispatcher would not do.
 */

/* Lets interrupts in; returns whether they have left something for the dispatcher. */
static inline bool breathes_locked(port_irq_t irq)
{
    takt_cpu.busy = true;
    takt_breathe_own(irq);
    takt_cpu.busy = false;
    return takt_pending_locked();
}

/* The running thread, with this VCPU, pays, has budget, and is no bottom half. */
static inline __attribute__((always_inline)) bool is_plain_locked(const struct takt_vcpu *v,
                                                                  takt_time_t now)
{
    return v && takt_cpu.charging && takt_cpu.payer == &v->left &&
           !(TAKT_HAS_IO && (v->flags & TAKT_IO_VCPU)) &&
           (!TAKT_HAS_MUTEX || takt_server_usable(v, now)) && !takt_cpu.rang && !takt_cpu.raised;
}

/* Can `next` simply run, no bottom half being ready? It has run before and is in time. */
static inline __attribute__((always_inline)) bool goes_on_plainly_locked(uint8_t next,
                                                                        takt_time_t now)
{
    const struct takt_vcpu *v = takt_vcpu_of(next);
    return !takt_set_has(takt_cpu.fresh, next) && now - v->list[0].at < v->period &&
           !(TAKT_HAS_IO && (takt_core.ready & takt_cpu.bottoms));
}

/* No thread, as TAKT_NOBODY, and the running one is as it was. What wakes it is noted from when it
 * is no longer ready: not before may interrupts come in. */
#define STAYS (TAKT_NOBODY - 1u)

/* From where its thread is no longer ready the dispatcher finds the same. */
static inline __attribute__((always_inline)) uint8_t leaves_to_locked(takt_time_t now,
                                                                      enum takt_block_reason reason)
{
    uint8_t self = takt_core.current;
    const struct takt_vcpu *v = takt_vcpu_of(self);
    if (takt_cpu.woken || (TAKT_HAS_MUTEX && takt_locks.ceiling < TAKT_PLACES) ||
        !is_plain_locked(v, now))
        return STAYS;
    if (TAKT_HAS_TRACE) {
        takt_use_lapse_locked();
        if (takt_server_over(v))
            return STAYS;
    }
    takt_set_t others = takt_set_without(takt_core.ready, takt_set_of(self));
    uint8_t next = others ? takt_set_first(others) : TAKT_NOBODY;
    takt_core.ready = others;
    if (next == TAKT_NOBODY || !goes_on_plainly_locked(next, now))
        return TAKT_NOBODY;
    note_leaving_locked(self, reason);
    return next;
}

/* One that is woken joins; returns the caller if it goes on. */
static inline __attribute__((always_inline)) uint8_t calls_locked(takt_time_t now, port_irq_t irq,
                                                                 uint32_t *why)
{
    uint8_t self = takt_core.current, next = self;
    if ((TAKT_HAS_MUTEX && takt_locks.ceiling < TAKT_PLACES) ||
        !is_plain_locked(takt_vcpu_of(self), now) || (takt_core.ready & takt_set_before(self)))
        return TAKT_NOBODY;
    *why = CALLED;
    if (takt_cpu.woken) {
        uint8_t place = takt_set_first(takt_cpu.woken);
        struct takt_vcpu *v = takt_vcpu_of(place);
        if (takt_set_rest(takt_cpu.woken) || !v || takt_any_lock_sleeps() ||
            !takt_keeps_date_locked(v, now, true))
            return TAKT_NOBODY;
        takt_cpu.woken = 0;
        takt_note_locked(TAKT_EV_READY, place, 0);
        takt_core.ready |= takt_set_of(place);
        next = place < next ? place : next;
    }
    if (next == self)
        return takt_cpu.foreground != TAKT_ANEW ? self : TAKT_NOBODY;
    if (breathes_locked(irq) || !goes_on_plainly_locked(next, now))
        return TAKT_NOBODY;
    takt_use_add_locked(takt_instant());
    takt_cpu.payer = &takt_vcpu_of(next)->left;
    return next;
}

/* `next` runs, until the running thread does again. */
static inline __attribute__((always_inline)) void go_locked(uint8_t next)
{
    uint8_t self = takt_core.current;
    takt_check_stack(self);
    takt_note_locked(TAKT_EV_RUN, next, 0);
    takt_core.current = takt_core.context = next;
    takt_watch_locked();
    port_switch(&takt_tcbs[self].sp, takt_tcbs[next].sp);
}

/* Has a mutex that is unlocked now held up another? What is tried here would be the caller's time
 * beside PORT_HELD_UP, and for nothing. */
static inline __attribute__((always_inline)) bool holds_up_locked(uint32_t why)
{
    return TAKT_HAS_MUTEX && why == ASKED &&
           (takt_core.ready & takt_set_before(takt_core.current));
}

/* Done at once, if it can be. */
static inline __attribute__((always_inline)) bool switches_at_once_locked(port_irq_t irq,
                                                                          uint32_t *why)
{
    if (!AT_ONCE || *why == PREEMPTED || holds_up_locked(*why))
        return false;
    takt_use_returned_locked();
    takt_time_t now = port_now();
    uint8_t next = *why == ASKED ? calls_locked(now, irq, why)
                                 : leaves_to_locked(now, (enum takt_block_reason)(*why - BLOCKS));
    if (next == TAKT_NOBODY)
        (void)breathes_locked(irq);
    if (next >= STAYS)
        return false;
    if (next != takt_core.current)
        go_locked(next);
    return true;
}

/* In three functions, not one that they call: the stack of every thread has room for this. */
static inline __attribute__((always_inline)) void dispatch_locked(port_irq_t irq, uint32_t why)
{
    if (!switches_at_once_locked(irq, &why)) {
        uint32_t done = port_on_isr_stack(dispatch_work, irq, why);
        uint8_t self = (uint8_t)done, next = (uint8_t)(done >> 8);
        if (!done) {
            if (why != PREEMPTED)
                takt_tasks_go_on_locked();
            return;
        }
        if (self != next)
            port_switch(&takt_tcbs[self].sp, takt_tcbs[next].sp);
    }
    if (why != PREEMPTED) { /* else further preemptions would pile up on this one's frame */
        open_locked();
        takt_tasks_go_on_locked();
    }
    if (TAKT_HAS_JOBS && takt_set_has(takt_cpu.fresh, takt_core.current)) {
        open_locked(); /* a preempted one, too: it will not go on by the way out of interrupts */
        takt_end_job_locked(why >= BLOCKS);
    }
}

void takt_dispatch_locked(port_irq_t irq)
{
    TAKT_FACT("takes switch");
    TAKT_FACT("locked");
    dispatch_locked(irq, ASKED);
}

/* Does the thread that has unlocked a mutex have to make way? While it holds an outer one, the end
 * of its budget does not count. */
static bool makes_way_locked(void)
{
    uint8_t self = takt_core.current;
    uint8_t next = first_of_locked(takt_core.ready ? takt_core.ready : takt_cpu.background);
    if (next >= takt_locks.ceiling)
        next = takt_locks.holder;
    if (next != self)
        return true;
    return takt_locks.holder != self &&
           (!takt_cpu.charging || !takt_server_usable(takt_vcpu_of(self), port_now()));
}

/* Most often so: the dispatcher, which alone finds that a budget is over or another thread more
 * urgent, has not run meanwhile. */
bool takt_goes_on_locked(void)
{
    return !(takt_locks.looked && makes_way_locked()) && !takt_pending_locked() &&
           runs_already(takt_core.current);
}

void takt_leave_locked(enum takt_block_reason reason, port_irq_t irq)
{
    TAKT_FACT("locked");
    dispatch_locked(irq, BLOCKS + (uint32_t)reason);
}

void takt_preempted_locked(void)
{
    if (takt_cpu.busy)
        return;
    dispatch_locked(0, PREEMPTED);
    takt_resume_tasks_locked();
    opens_by_note_locked();
}

void takt_dispatch_isr_locked(void)
{
    if (!takt_pending_locked() || takt_cpu.busy)
        return;
    takt_cpu.asked = true;
    port_switch_from_isr();
}

void takt_wake_locked(uint8_t place)
{
    takt_set_t bit = takt_set_of(place);
    if (takt_here(place) && ((takt_core.ready | takt_cpu.background | takt_cpu.spent) & bit)) {
        (void)takt_locks_wake_locked(place);
        return;
    }
    TAKT_SHOW(TAKT_AT(place, cpu).woken, TAKT_AT(place, cpu).woken | bit);
    takt_kick_locked(place);
}

#endif
