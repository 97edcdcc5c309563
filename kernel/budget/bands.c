/*
 * The bands of threads in programs with budgets, and how threads move between them. The dispatcher
 * (dispatch.c) has this done with interrupts on:
 *   settle      what the running thread used is taken from its server (server.c); if nothing usable
 *               is left it moves to the background band, below all that have budget
 *   join        a thread that was woken moves to the band its budget allows
 *   replenish   a thread that waited for budget that has come moves back
 * Threads without a VCPU always are in the background band.
 *
 * A thread that holds a mutex when its budget ends runs on at the ceiling until it unlocks; that
 * use is taken from its next replenishments.
 *
 * At the start, and at another one, every server is full, and every thread in the band meant for
 * it.
 */
#include "use.h"

#if TAKT_HAS_BUDGETS

static void check(const struct takt_vcpu *v)
{
#if TAKT_CHECKS
    TAKT_ASSERT(takt_server_sound(v));
#else
    (void)v;
#endif
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

/* The thread at `place`, in `spent` from now on, has budget when its server says. */
static void refill_by_locked(uint8_t place)
{
    takt_time_t at = takt_vcpu_of(place)->list[0].at;
    if (takt_cpu.spent == 0 || takt_before(at, takt_cpu.refill_at))
        takt_cpu.refill_at = at;
    takt_alarm_for_locked(place, at);
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

bool takt_settle_locked(takt_time_t now, port_irq_t irq)
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
    takt_breathe_own(irq);
    if (takt_server_usable(v, now) || takt_holds_mutex(self))
        return response >= 0;
    takt_trace_locked(now, TAKT_EV_EXHAUST, self, 0);
    takt_cpu.charging = false;
    takt_breathe_own(irq);
    if (!takt_cpu.blocking)
        takt_spend_locked(self);
    return true;
}

bool takt_is_over_locked(takt_time_t now)
{
    if (!takt_cpu.charging)
        return false;
    const struct takt_vcpu *v = takt_vcpu_of(takt_core.current);
    return takt_server_over(v) || (TAKT_HAS_MUTEX && !takt_server_usable(v, now)) ||
           (v->flags & TAKT_IO_VCPU);
}

/* The thread, which has waited or had no budget, pays from here on, so that of many that start at
 * once each pays for itself. What that leaves of its budget, if it has some. A thread that has no
 * budget left and interrupts none that has pays nothing: it takes spare time. */
static void pay(struct takt_vcpu *v, takt_time_t now, port_irq_t irq)
{
    bool usable = takt_server_usable(v, now);
    takt_own_save();
    takt_use_lapse_locked();
    if (takt_cpu.charging || usable) {
        takt_use_bill_locked(&v->left);
        takt_cpu.payer = &v->left;
    } else {
        takt_cpu.kernel = 0;
        takt_cpu.payer = &takt_cpu.spare;
    }
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

bool takt_keeps_date_locked(struct takt_vcpu *v, takt_time_t now, bool at_once)
{
    takt_time_t date = v->list[0].at;
    if (now - date >= takt_server_jitter(v) || (v->flags & TAKT_IO_VCPU) ||
        (v->open == 0 && takt_server_untaken(v) < TAKT_PARTS))
        return false;
    if (!at_once)
        takt_use_lapse_locked();
    takt_use_bill_locked(&v->left);
    if (takt_server_over(v))
        return false;
    if (!at_once)
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
    if (v && !takt_keeps_date_locked(v, now, false)) {
        takt_own_restore(irq);
        settle_sleeper(v, now, irq);
        takt_server_wake(v, now);
        pay(v, now, irq);
        takt_own_save();
    }
    takt_note_locked(TAKT_EV_READY, place, port_now() - now);
    bool holds = takt_locks_wake_locked(place); /* it goes on, whatever its budget */
    if (v && (takt_server_usable(v, now) || holds))
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
            takt_breathe_own(irq);
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
        takt_alarm_for_locked(first, earliest);
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
        takt_alarm_for_locked(takt_set_first(takt_cpu.spent), takt_cpu.refill_at);
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

/* Bottom halves look which thread they serve now, and periodic threads whether they are
 * released. */
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

void takt_catch_up_locked(port_irq_t irq)
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
        takt_breathe_own(irq);
    }
}

void takt_prepare(uint8_t next, port_irq_t irq)
{
    struct takt_vcpu *v = takt_vcpu_of(next);
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

/* Bottom halves begin by waiting. */
static void set_bottoms_aside_locked(void)
{
    if (!TAKT_HAS_IO)
        return;
    for (uint8_t place = 0; place < takt_core.count; place++) {
        if (!takt_here(place) || !takt_vcpu_of(place) ||
            !(takt_vcpu_of(place)->flags & TAKT_IO_VCPU))
            continue;
        takt_cpu.bottoms |= takt_set_of(place);
        takt_core.ready = takt_set_without(takt_core.ready, takt_set_of(place));
        takt_io_begin_locked(place);
    }
}

static void begin_accounts_locked(void)
{
    takt_cpu.payer = &takt_cpu.spare;
    takt_cpu.events_for = takt_cpu.rang_for = TAKT_NOBODY;
    takt_cpu.events_at = port_now() + TAKT_ALARM_FAR;
    takt_use_start();
}

/* Every server full from `now`; ready threads into their bands. */
static void restart_locked(takt_time_t now)
{
    for (uint8_t place = 0; place < takt_core.count; place++) {
        takt_set_t bit = takt_set_of(place);
        if (!takt_here(place))
            continue;
        if (takt_vcpu_of(place))
            takt_server_start(takt_vcpu_of(place), now);
        if (!((takt_core.ready | takt_cpu.background | takt_cpu.spent) & bit))
            continue;
        takt_cpu.background = takt_set_without(takt_cpu.background, bit);
        takt_cpu.spent = takt_set_without(takt_cpu.spent, bit);
        takt_core.ready |= bit;
        if (!takt_vcpu_of(place) || !takt_server_usable(takt_vcpu_of(place), now))
            takt_spend_locked(place);
    }
}

#if PORT_CPUS > 1
void takt_begin_cpu_locked(void)
{
    takt_cpu.fresh = takt_core.ready;
    begin_accounts_locked();
    set_bottoms_aside_locked();
    restart_locked(port_now());
}

struct restart {
    struct takt_cross_call call;
    takt_time_t from;
};

static void restart_here_locked(struct takt_cross_call *call)
{
    takt_use_lapse_locked();
    takt_cpu.payer = &takt_cpu.spare;
    takt_cpu.charging = false; /* the dispatcher opens another account */
    restart_locked(((struct restart *)call)->from);
}

/* All other CPUs' budgets begin at one instant, which it returns. */
static takt_time_t restart_others(void)
{
    struct restart restart = {{.run_locked = restart_here_locked}, port_now()};
    takt_cross_call_others(&restart.call);
    return restart.from;
}
#else
#define restart_others() 0

void takt_begin_first_locked(void)
{
    begin_accounts_locked();
    set_bottoms_aside_locked();
    takt_time_t now = port_now();
    restart_locked(now);
    takt_core.current = takt_pick_locked();
    takt_cpu.fresh =
        takt_set_without(takt_first_places(takt_core.count), takt_set_of(takt_core.current));
    takt_begin_locked(takt_core.current, now);
    takt_open_locked();
    takt_watch_locked();
}
#endif

void takt_vcpu_restart_all(void)
{
    takt_time_t from = restart_others();
    port_irq_t irq = port_irq_save();
    takt_time_t now = port_now();
    takt_cpu.charging = false;
    takt_trace_locked(now, TAKT_EV_SETUP, takt_core.current, 0);
    takt_use_lapse_locked();
    restart_locked(PORT_CPUS > 1 ? from : now);
    takt_begin_locked(takt_core.current, now);
    takt_use_open_locked();
    takt_watch_locked();
    takt_dispatch_locked(irq);
    port_irq_restore(irq);
}

#endif
