/*
 * Scheduling with budgets: Main VCPUs (Qduino II-A).
 *
 * Handlers only note what happened: who was woken, that the alarm rang. The dispatcher, always in
 * thread context and never entered twice (takt_cpu.busy), does the rest with interrupts on:
 *   settle      what the running thread used is taken from its server (server.c); if nothing
 *               usable is left it moves to the background band, below all who have budget
 *   join        who was woken moves to the band its budget allows
 *   replenish   who waited for budget that has come moves back
 * and only when nothing new has happened chooses, opens the next account and switches, with
 * interrupts off throughout. The alarm is set for the end of the running budget and for the
 * earliest replenishment in `spent`. Threads without a VCPU always are in the background band.
 *
 * All CPU time is attributed (use.h): who wakes, or leaves, pays for what the kernel does for that.
 * So a thread that wakes often uses up its own budget, and none of those below it.
 *
 * Several CPUs: the dispatcher works without the kernel's lock, which it gives away as soon as
 * whoever blocks is no longer ready, and takes to look at what others have for it.
 *
 * A thread that holds a mutex when its budget ends runs on at the ceiling until it unlocks; that
 * use is taken from its next replenishments.
 */
#include "use.h"
#include "vcpu.h"

#include <takt/isr.h>

#if TAKT_HAS_BUDGETS

/* Why the dispatcher runs; BLOCKS + reason when the running thread blocks. */
enum { PREEMPTED, ASKED, BLOCKS };

/* A thread that leaves is settled then, for the trace to tell when it had its budget; else when it
 * wakes. */
#define SETTLES_EARLY (TAKT_HAS_TRACE && !TAKT_DYNAMIC)

#define ANEW ((uint32_t)1 << 16) /* see dispatch_work() */

/* Lets pending interrupts in, so that none waits for the sum of several steps. */
static inline __attribute__((always_inline)) void breathe_own(port_irq_t irq)
{
    takt_own_restore(irq);
    takt_own_save();
}

static void check(const struct takt_vcpu *v)
{
#if TAKT_CHECKS
    TAKT_ASSERT(takt_server_sound(v));
#else
    (void)v;
#endif
}

#ifdef PORT_NOTES_BACK
void takt_use_opened_there_locked(void)
{
    if (!port_has_resumed())
        return;
    struct takt_instant at = takt_cpu.from;
    at.fine = takt_fine_near(port_fine_resumed(), takt_cpu.from.fine) + PORT_BACK;
    takt_use_add_locked(at);
    takt_use_open_locked();
}
#endif

void takt_use_lapse_by_locked(uint32_t parts)
{
    struct takt_instant at = takt_instant();
    takt_use_returned_locked();
    at.fine += parts;
    takt_use_add_locked(at);
}

/* The most urgent in the foreground: bottom halves by rank, before the threads that they serve.
 * Without any, the most urgent in the background: threads that have no budget at all before those
 * that have used theirs up. Where the ceiling keeps that one away, in either band, the holder runs
 * for it. */
uint8_t takt_pick_locked(void)
{
    takt_set_t mains = takt_set_without(takt_core.ready, takt_cpu.bottoms);
    takt_set_t bottoms = takt_core.ready & takt_cpu.bottoms;
    takt_set_t set = takt_set_without(takt_cpu.background, takt_cpu.spent);
    uint8_t first = mains ? takt_set_first(mains) : TAKT_NOBODY;
    uint8_t most = first < takt_locks.ceiling ? first : (uint8_t)(takt_locks.ceiling - 1);
    uint8_t bottom = TAKT_NOBODY;
    if (TAKT_HAS_IO && bottoms && takt_locks.ceiling > 0)
        bottom = takt_io_pick_locked(bottoms, most);
    if (bottom != TAKT_NOBODY)
        return bottom;
    if (!set)
        set = takt_cpu.background;
    if (!mains && !bottoms && set)
        first = takt_set_first(set);
    return takt_locks.ceiling < TAKT_PLACES && first >= takt_locks.ceiling ? takt_locks.holder
                                                                           : first;
}

static void set_alarm_locked(takt_time_t at)
{
    takt_cpu.alarm_at = at;
    takt_cpu.alarm_armed = true;
    port_alarm(at);
}

/* The alarm rings at `at` or before, the dispatcher sees to that; if it wakes no thread then, the
 * one at `place` pays for it. */
static void alarm_for_locked(uint8_t place, takt_time_t at)
{
    if (takt_before(at, takt_cpu.events_at)) {
        takt_cpu.events_at = at;
        takt_cpu.events_for = place;
    }
    if (!takt_cpu.busy && (!takt_cpu.alarm_armed || takt_before(at, takt_cpu.alarm_at)))
        set_alarm_locked(at);
}

void takt_alarm_by_locked(takt_time_t at)
{
    alarm_for_locked(takt_core.current, at);
}

/* The thread at `place`, in `spent` from now on, has budget when its server says. */
static void refill_by_locked(uint8_t place)
{
    takt_time_t at = takt_vcpu_of(place)->list[0].at;
    if (takt_cpu.spent == 0 || takt_before(at, takt_cpu.refill_at))
        takt_cpu.refill_at = at;
    alarm_for_locked(place, at);
}

void takt_spend_locked(uint8_t place)
{
    struct takt_vcpu *v = takt_vcpu_of(place);
    takt_set_t bit = takt_set_of(place);
    takt_core.ready = takt_set_without(takt_core.ready, bit);
    if (!v || !(v->flags & TAKT_NO_BACKGROUND))
        takt_cpu.background |= bit;
    if (v) {
        refill_by_locked(place);
        takt_cpu.spent |= bit;
    }
}

/* What `v` has used is taken from its server, interrupts let in meanwhile. Returns what
 * takt_server_consume() does. */
static int32_t charge_locked(struct takt_vcpu *v, takt_time_t now, port_irq_t irq)
{
    int32_t response = -1;
    uint32_t used = takt_server_used(v);
    takt_own_restore(irq);
    if (used > 0)
        response = takt_server_consume(v, used, now);
    check(v);
    takt_own_save();
    takt_server_give(v);
    return response;
}

/* The running thread has used all it was given, or is a bottom half: takes that from its server, and
 * its band when nothing is left. Returns whether a piece of its budget has ended. */
static bool settle_locked(takt_time_t now, port_irq_t irq)
{
    uint8_t self = takt_core.current;
    struct takt_vcpu *v = takt_vcpu_of(self);
    int32_t response = charge_locked(v, now, irq);
    if (!takt_holds_mutex(self)) {
        takt_server_gather(v, now);
        takt_server_give(v);
    }
    if (response >= 0)
        takt_trace_locked(now, TAKT_EV_CHUNK, self, (uint32_t)response);
    breathe_own(irq);
    if (takt_server_usable(v, now) || takt_holds_mutex(self))
        return response >= 0;
    takt_trace_locked(now, TAKT_EV_EXHAUST, self, 0);
    takt_cpu.charging = false;
    breathe_own(irq);
    if (!takt_cpu.blocking)
        takt_spend_locked(self);
    return true;
}

/* Is there something to settle? Always of bottom halves. A thread that has unlocked a mutex may have
 * run on what comes next. */
static bool is_over_locked(takt_time_t now)
{
    const struct takt_vcpu *v = takt_vcpu_of(takt_core.current);
    if (!takt_cpu.charging)
        return false;
    return takt_server_over(v) || (TAKT_HAS_MUTEX && !takt_server_usable(v, now)) ||
           (v->flags & TAKT_IO_VCPU);
}

/* What the kernel has worked, as far as that is known, is taken from `own`. */
static inline __attribute__((always_inline)) void bill_locked(uint32_t *own)
{
    *own += takt_cpu.kernel;
    takt_cpu.kernel = 0;
}

void takt_bill_up_to_now_locked(uint8_t place)
{
    if (takt_use_stopped_locked())
        takt_use_lapse_locked();
    if (takt_cpu.kernel && takt_pays_locked(place))
        bill_locked(takt_account_of(place));
}

/* The thread of `v` is what the dispatcher runs for: it pays for what has passed. Returns whether it
 * is to pay for the rest, too, as no other thread does yet. */
static inline __attribute__((always_inline)) bool pays_locked(struct takt_vcpu *v)
{
    bool none = takt_use_stopped_locked() || takt_cpu.payer == &takt_cpu.spare;
    if (none)
        takt_use_lapse_locked();
    bill_locked(&v->left);
    return none;
}

/* The thread, which has waited or had no budget, pays. What that leaves of its budget, if it has
 * some. A thread that has no budget left and interrupts none that has pays nothing: it takes spare
 * time. */
static void pay(struct takt_vcpu *v, takt_time_t now, port_irq_t irq)
{
    bool usable = takt_server_usable(v, now);
    takt_own_save();
    if ((takt_cpu.charging || usable) && pays_locked(v))
        takt_cpu.payer = &v->left;
    uint32_t us = usable ? takt_server_used(v) : 0;
    takt_own_restore(irq);
    if (!usable)
        return;
    takt_server_begin(v, us, now);
    takt_server_gather(v, now);
    check(v);
    takt_own_save();
    takt_server_give(v);
    takt_own_restore(irq);
}

/* What a thread used before it blocked is taken from the budget of then; a bottom half has been
 * settled, and begins with what it owes. */
static void settle_sleeper(struct takt_vcpu *v, takt_time_t now, port_irq_t irq)
{
    if (v->flags & TAKT_IO_VCPU)
        return;
    takt_own_save();
    charge_locked(v, now, irq);
    takt_own_restore(irq);
}

/* Does it wake so soon after the date of its budget, of which it has used some, that it keeps that
 * (server.c)? Then there is nothing to do but to pay, if that leaves something. */
static bool keeps_date_locked(struct takt_vcpu *v, takt_time_t now)
{
    takt_time_t date = v->list[0].at;
    if (now - date >= takt_server_jitter(v) || (v->flags & TAKT_IO_VCPU) ||
        (v->open == 0 && takt_server_untaken(v) < TAKT_PARTS))
        return false;
    bool none = pays_locked(v);
    if (takt_server_over(v))
        return false;
    if (none)
        takt_cpu.payer = &v->left;
    if (!takt_before(date, v->next_start))
        v->next_start = date + v->period;
    return true;
}

/* One thread that was woken joins its band; its budget takes it to have been at `now`. Inline for
 * the sake of the stack; programs with jobs have it twice. */
static inline __attribute__((always_inline)) void join_locked(uint8_t place, takt_time_t now,
                                                              port_irq_t irq)
{
    struct takt_vcpu *v = takt_vcpu_of(place);
    if ((takt_core.ready | takt_cpu.background | takt_cpu.spent) & takt_set_of(place))
        return;
    if (v && !keeps_date_locked(v, now)) {
        takt_own_restore(irq);
        settle_sleeper(v, now, irq);
        takt_server_wake(v, now);
        pay(v, now, irq);
        takt_own_save();
    }
    takt_note_locked(TAKT_EV_READY, place, port_now() - now);
    if (v && takt_server_usable(v, now))
        takt_core.ready |= takt_set_of(place);
    else
        takt_spend_locked(place);
}

static void join_woken_locked(port_irq_t irq)
{
    takt_lock_own(irq);
    takt_set_t woken = takt_cpu.woken;
    takt_cpu.woken = 0;
    takt_unlock_own(irq);
    for (; woken; woken = takt_set_rest(woken)) {
        join_locked(takt_set_first(woken), port_now(), irq);
        if (takt_set_rest(woken))
            breathe_own(irq);
    }
}

void takt_begin_job(uint8_t place, takt_time_t release)
{
    port_irq_t irq = takt_own_save();
    join_locked(place, release, irq);
    takt_own_restore(irq);
}

/* The thread at `place`, spent, has got some budget back: unless starting takes that, it returns to
 * the foreground. */
static void replenish(uint8_t place, struct takt_vcpu *v, takt_time_t now, port_irq_t irq)
{
    pay(v, now, irq);
    if (!takt_server_usable(v, now))
        return;
    takt_set_t bit = takt_set_of(place);
    takt_own_save();
    takt_cpu.spent = takt_set_without(takt_cpu.spent, bit);
    takt_cpu.background = takt_set_without(takt_cpu.background, bit);
    takt_core.ready |= bit;
    takt_trace_locked(now, TAKT_EV_REPLENISH, place, v->list[0].amount);
    takt_own_restore(irq);
}

/* Keeps the dates of all servers within reach of the clock, now and then. */
static void age(takt_time_t now)
{
    if (now - takt_cpu.aged < TAKT_PERIOD_MAX)
        return;
    takt_cpu.aged = now;
    for (uint8_t place = 0; place < takt_core.count; place++)
        if (takt_here(place) && takt_vcpu_of(place))
            takt_server_age(takt_vcpu_of(place), now);
}

/* The earliest replenishment is due. */
static void replenish_all_locked(takt_time_t now, port_irq_t irq)
{
    uint8_t first = TAKT_NOBODY; /* of those that go on waiting */
    takt_time_t earliest = now;
    takt_own_restore(irq);
    for (takt_set_t left = takt_cpu.spent; left; left = takt_set_rest(left)) {
        uint8_t place = takt_set_first(left);
        struct takt_vcpu *v = takt_vcpu_of(place);
        if (takt_server_usable(v, now))
            replenish(place, v, now, irq);
        if (takt_set_has(takt_cpu.spent, place) &&
            (first == TAKT_NOBODY || takt_before(v->list[0].at, earliest))) {
            earliest = v->list[0].at;
            first = place;
        }
    }
    takt_own_save();
    takt_cpu.refill_at = earliest;
    if (first != TAKT_NOBODY)
        alarm_for_locked(first, earliest);
}

/* The alarm rang: replenish if it was for that, and set it for what is still to come. */
static void after_alarm_locked(port_irq_t irq)
{
    takt_time_t now = port_now();
    takt_cpu.rang = false;
    age(now);
    if (takt_cpu.spent && !takt_before(now, takt_cpu.refill_at))
        replenish_all_locked(now, irq);
    else if (takt_cpu.spent)
        alarm_for_locked(takt_set_first(takt_cpu.spent), takt_cpu.refill_at);
}

/* A bottom half whose budget has changed: it may have been switched off, or on. */
static void place_bottom_locked(uint8_t place)
{
    struct takt_vcpu *v = takt_vcpu_of(place);
    bool usable = takt_server_usable(v, port_now());
    if (takt_set_has(takt_core.ready, place) && !usable && !takt_holds_mutex(place))
        takt_spend_locked(place);
    else if (takt_set_has(takt_cpu.spent, place))
        refill_by_locked(place);
}

/* Bottom halves look whom they serve now, and periodic threads whether they are released. */
static void look_locked(port_irq_t irq)
{
    takt_lock_own(irq);
    takt_set_t raised = takt_cpu.raised & takt_cpu.bottoms;
    takt_set_t released = takt_set_without(takt_cpu.raised, raised);
    takt_cpu.raised = 0;
    takt_unlock_own(irq);
    takt_own_restore(irq);
    if (TAKT_HAS_JOBS && released)
        takt_periodic_look(released);
    if (TAKT_HAS_IO && raised)
        takt_io_look(raised);
    takt_own_save();
    if (raised)
        takt_bill_up_to_now_locked(takt_set_first(raised));
    for (; raised; raised = takt_set_rest(raised))
        place_bottom_locked(takt_set_first(raised));
}

static inline void run_cross_calls(port_irq_t irq)
{
    takt_lock_own(irq);
    takt_run_cross_calls_locked();
    takt_unlock_own(irq);
}

/* Does all there is to do; nothing is pending when it returns, and interrupts are still off. */
static void catch_up_locked(port_irq_t irq)
{
    while (takt_pending_locked()) {
        if (takt_cross_calls_wait())
            run_cross_calls(irq);
        if (TAKT_SEEN(takt_cpu.raised))
            look_locked(irq);
        if (TAKT_SEEN(takt_cpu.woken))
            join_woken_locked(irq);
        if (takt_cpu.rang)
            after_alarm_locked(irq);
        breathe_own(irq);
    }
}

/* Of who ran before, and the one that the dispatcher itself is on. */
static inline __attribute__((always_inline)) void check_stacks(void)
{
    takt_check_stack(takt_core.context);
    takt_check_isr_stack();
}

/* `next` is about to run: what can be done for it with interrupts on. */
static void prepare(uint8_t next, port_irq_t irq)
{
    struct takt_vcpu *v = takt_vcpu_of(next);
    check_stacks();
    if (!takt_set_has(takt_core.ready, next))
        return;
    takt_time_t now = port_now();
    if (now - v->list[0].at >= v->period)
        settle_sleeper(v, now, irq);
    bool starved = takt_server_dispatch(v, now);
    check(v);
    takt_own_save();
    takt_server_give(v);
    if (starved)
        takt_trace_locked(now, TAKT_EV_STARVED, next, v->starved);
    takt_own_restore(irq);
}

/* When the running budget ends if nothing comes between, or somewhat before. */
static takt_time_t budget_end_locked(void)
{
    const struct takt_vcpu *v = takt_vcpu_of(takt_core.current);
    uint32_t left = takt_server_over(v) ? 0 : takt_about(v->left + TAKT_PARTS - 1);
    takt_time_t from = takt_cpu.payer == &v->left ? takt_cpu.from.us : port_now();
    return from + left + TAKT_USE_LATER_US;
}

/* Not one that was for the budget of a thread that ran before: it would interrupt for nothing. */
void takt_watch_locked(void)
{
    takt_time_t at = takt_cpu.events_at;
    if (takt_cpu.charging) {
        takt_time_t end = budget_end_locked();
        if (takt_before(end, at))
            at = end;
    }
    if (at != takt_cpu.alarm_at || !takt_cpu.alarm_armed)
        set_alarm_locked(at);
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

/* Is nobody ready, and plainly so? */
static inline bool nobody_locked(void)
{
    return !(takt_core.ready | takt_cpu.background) && takt_locks.ceiling == TAKT_PLACES;
}

/* Nobody is ready: the time until an interrupt is no thread's, what came before the payer's. */
static void sleep_locked(void)
{
    takt_use_lapse_locked();
    takt_cpu.payer = &takt_cpu.kernel;
    takt_cpu.kernel = 0;
    takt_cpu.asleep = true;
    takt_watch_locked();
    takt_idle_locked();
    if (takt_cpu.asleep)
        takt_cpu.from = takt_instant();
    takt_cpu.asleep = false;
}

/* Who runs next, all work done. */
static uint8_t choose_locked(port_irq_t irq)
{
    takt_locks.looked |= takt_locks.ceiling < TAKT_PLACES;
    for (;;) {
        catch_up_locked(irq);
        uint8_t next = plain_next_locked(port_now());
        if (next != TAKT_NOBODY) {
            breathe_own(irq);
        } else if (nobody_locked() || (next = takt_pick_locked()) == TAKT_NOBODY) {
            takt_lock_own(irq);
            sleep_locked();
            takt_unlock_own(irq);
            continue;
        } else if (!runs_already(next)) {
            takt_own_restore(irq);
            prepare(next, irq);
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

/* The running thread stops. The lock is kept until nobody can take it for ready. */
static void leave_locked(enum takt_block_reason reason, port_irq_t irq)
{
    uint8_t self = takt_core.current;
    takt_set_t others = (takt_set_t)~takt_set_of(self);
    takt_core.ready &= others;
    takt_cpu.background &= others;
    takt_cpu.spent &= others;
    if (PORT_CPUS > 1)
        takt_cpu.woken &= others; /* by who saw it in none of the three, on its way between them */
    takt_cpu.blocking = true;
    takt_unlock_own(irq);
    takt_time_t now = port_now();
    if (is_over_locked(now) || (SETTLES_EARLY && takt_cpu.charging)) {
        takt_use_lapse_locked();
        settle_locked(now, irq);
    }
    note_leaving_locked(self, reason);
    takt_cpu.charging = takt_cpu.blocking = false;
    takt_core.current = TAKT_NOBODY;
    breathe_own(irq);
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
    if (is_over_locked(now)) {
        takt_use_lapse_locked();
        if (settle_locked(now, irq))
            pays_for_its_end_locked();
    }
    return why == PREEMPTED ? takt_cpu.isr_start[0] : now;
}

/* The running thread has called, and is preempted by `next`, which pays from here on as after an
 * interrupt. */
static void pass_on_locked(uint8_t next)
{
    takt_use_lapse_locked();
    takt_cpu.payer = takt_set_has(takt_core.ready, next) ? takt_account_of(next) : &takt_cpu.kernel;
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
    if (why == ASKED)
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
 * is to be done. What is short is done at once, with interrupts off, on the thread's stack. What is not so
 * returns TAKT_NOBODY, with nothing changed that the dispatcher would not do.
 */
#ifndef PORT_SHORT_STACKS
#define PORT_SHORT_STACKS 0
#endif
#define AT_ONCE (PORT_CPUS == 1 && !PORT_SHORT_STACKS && (!TAKT_HAS_TRACE || TAKT_DYNAMIC))

/* Lets interrupts in; returns whether they have left something for the dispatcher. */
static inline bool breathes_locked(port_irq_t irq)
{
    takt_cpu.busy = true;
    breathe_own(irq);
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

/* From where its thread is no longer ready the dispatcher finds the same. */
static inline __attribute__((always_inline)) uint8_t leaves_to_locked(takt_time_t now,
                                                                      enum takt_block_reason reason)
{
    uint8_t self = takt_core.current;
    const struct takt_vcpu *v = takt_vcpu_of(self);
    if (takt_cpu.woken || (TAKT_HAS_MUTEX && takt_locks.ceiling < TAKT_PLACES) ||
        !is_plain_locked(v, now))
        return TAKT_NOBODY;
    if (TAKT_HAS_TRACE) {
        takt_use_lapse_locked();
        if (takt_server_over(v))
            return TAKT_NOBODY;
    }
    takt_set_t others = takt_set_without(takt_core.ready, takt_set_of(self));
    uint8_t next = others ? takt_set_first(others) : TAKT_NOBODY;
    takt_core.ready = others;
    if (next == TAKT_NOBODY || !goes_on_plainly_locked(next, now))
        return TAKT_NOBODY;
    note_leaving_locked(self, reason);
    return next;
}

/* Those that are woken join; returns the caller if it goes on. */
static inline __attribute__((always_inline)) uint8_t calls_locked(takt_time_t now, port_irq_t irq)
{
    uint8_t self = takt_core.current, next = self;
    if ((TAKT_HAS_MUTEX && takt_locks.ceiling < TAKT_PLACES) ||
        !is_plain_locked(takt_vcpu_of(self), now) || (takt_core.ready & takt_set_before(self)))
        return TAKT_NOBODY;
    while (takt_cpu.woken) {
        uint8_t place = takt_set_first(takt_cpu.woken);
        struct takt_vcpu *v = takt_vcpu_of(place);
        if (!v || !keeps_date_locked(v, now))
            return TAKT_NOBODY;
        takt_cpu.woken = takt_set_rest(takt_cpu.woken);
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
    takt_cpu.foreground = true;
    takt_core.current = takt_core.context = next;
    takt_watch_locked();
    port_switch(&takt_tcbs[self].sp, takt_tcbs[next].sp);
}

/* Done at once, if it can be. */
static inline __attribute__((always_inline)) bool switches_at_once_locked(port_irq_t irq,
                                                                          uint32_t why)
{
    if (!AT_ONCE || why == PREEMPTED)
        return false;
    takt_use_returned_locked();
    takt_time_t now = port_now();
    uint8_t next = why == ASKED ? calls_locked(now, irq)
                                : leaves_to_locked(now, (enum takt_block_reason)(why - BLOCKS));
    if (next == TAKT_NOBODY)
        (void)breathes_locked(irq);
    if (next == TAKT_NOBODY)
        return false;
    if (next != takt_core.current)
        go_locked(next);
    return true;
}

/* In three functions, not one that they call: the stack of every thread has room for this. */
static inline __attribute__((always_inline)) void dispatch_locked(port_irq_t irq, uint32_t why)
{
    if (!switches_at_once_locked(irq, why)) {
        uint32_t done = port_on_isr_stack(dispatch_work, irq, why);
        uint8_t self = (uint8_t)done, next = (uint8_t)(done >> 8);
        if (!done)
            return;
        if (self != next)
            port_switch(&takt_tcbs[self].sp, takt_tcbs[next].sp);
    }
    if (why != PREEMPTED) { /* else another preemption, and another, would pile up on this one's frame */
        open_locked();
        takt_tasks_go_on_locked();
    }
    if (TAKT_HAS_JOBS && takt_set_has(takt_cpu.fresh, takt_core.current)) {
        takt_use_open_locked();
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
    if (takt_here(place) && ((takt_core.ready | takt_cpu.background | takt_cpu.spent) & bit))
        return;
    TAKT_SHOW(TAKT_AT(place, cpu).woken, TAKT_AT(place, cpu).woken | bit);
    takt_kick_locked(place);
}

#endif
