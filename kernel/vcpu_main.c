/*
 * Scheduling with budgets: Main VCPUs (Qduino II-A). Replaces sched.c's weak functions as soon as
 * a program defines a VCPU.
 *
 * Every entry to the dispatcher settles first: what the running thread used since the last time
 * is taken from its server (server.c), and if nothing usable is left the thread moves to the
 * background band, below every thread that has budget. The alarm is armed for the end of the
 * running budget and for the earliest replenishment of those in `spent`; a replenishment moves
 * its thread back. Threads without a VCPU always are in the background band.
 *
 * Time in interrupt handlers belongs to nobody's budget: takt_isr_enter() accounts the running
 * thread up to the handler, takt_isr_exit() restarts its account after it. A thread that holds a
 * mutex when its budget ends runs on at the ceiling until it unlocks; that use is taken from its
 * next replenishments.
 */
#include "cpu.h"
#include "server.h"

#include <takt/isr.h>
#include <takt/vcpu.h>

const uint8_t takt_budgets_linked = 1; /* what TAKT_NEEDS_BUDGETS_ refers to */

static struct takt_vcpu *vcpu_of(uint8_t place)
{
    return takt_table[place]->vcpu;
}

static void check(const struct takt_vcpu *v)
{
#if TAKT_CHECKS
    TAKT_ASSERT(takt_server_sound(v));
#else
    (void)v;
#endif
}

/* The thread, ready, has no usable budget now: background band until its next replenishment. */
static void spend_locked(uint8_t place)
{
    struct takt_vcpu *v = vcpu_of(place);
    takt_set_t bit = takt_set_of(place);
    takt_cpu.ready &= ~bit;
    if (!v || !(v->flags & TAKT_NO_BACKGROUND))
        takt_cpu.background |= bit;
    if (v) {
        takt_cpu.spent |= bit;
        takt_alarm_by_locked(v->list[0].at);
    }
}

/* Takes the running thread's use from its server; `used` includes all up to `now`. */
static void settle_locked(uint32_t used, takt_time_t now)
{
    uint8_t self = takt_cpu.current;
    takt_cpu.used = 0;
    if (!takt_cpu.charging)
        return;
    struct takt_vcpu *v = vcpu_of(self);
    int32_t response = takt_server_consume(v, used, now);
    check(v);
    if (response >= 0)
        takt_trace_locked(now, TAKT_EV_CHUNK, self, (uint32_t)response);
    bool holds = takt_cpu.ceiling < TAKT_PLACES && takt_cpu.holder == self;
    if (!takt_server_usable(v, now) && !holds) {
        takt_trace_locked(now, TAKT_EV_EXHAUST, self, 0);
        takt_cpu.charging = false;
        spend_locked(self);
    }
}

/* As settle_locked(), from the thread itself: account up to now. */
static void settle_thread_locked(takt_time_t now)
{
    uint32_t used = takt_cpu.used + (now - takt_cpu.charged);
    takt_cpu.charged = now;
    if (takt_cpu.current != TAKT_NOBODY)
        settle_locked(used, now);
}

/* `next` runs from now on: open its account and watch for the end of its budget. */
static void begin_locked(uint8_t next, takt_time_t now)
{
    struct takt_vcpu *v = vcpu_of(next);
    takt_cpu.charged = now;
    takt_cpu.used = 0;
    takt_cpu.foreground = takt_cpu.charging = takt_set_has(takt_cpu.ready, next);
    if (takt_cpu.charging) {
        if (takt_server_dispatch(v, now))
            takt_trace_locked(now, TAKT_EV_STARVED, next, v->starved);
        check(v);
        takt_alarm_by_locked(now + v->list[0].amount);
    }
    takt_trace_locked(now, TAKT_EV_RUN, next, !takt_cpu.charging);
}

void takt_dispatch_locked(void)
{
    takt_time_t now = port_now();
    settle_thread_locked(now);
    uint8_t next = takt_pick_locked();
    if (next == TAKT_NOBODY) {
        takt_cpu.charging = false;
        next = takt_idle_locked();
        now = port_now();
    } else if (next == takt_cpu.current && takt_cpu.foreground == takt_set_has(takt_cpu.ready, next)) {
        return;
    }
    begin_locked(next, now);
    takt_switch_locked(next);
}

void takt_block_locked(enum takt_block_reason reason)
{
    uint8_t self = takt_cpu.current;
    takt_set_t bit = takt_set_of(self);
    takt_time_t now = port_now();
    settle_thread_locked(now);
    if (takt_cpu.charging)
        takt_trace_locked(now, TAKT_EV_CHUNK, self, now - vcpu_of(self)->list[0].at);
    takt_trace_locked(now, TAKT_EV_BLOCK, self, reason);
    takt_cpu.charging = false;
    takt_cpu.ready &= ~bit;
    takt_cpu.background &= ~bit;
    takt_cpu.spent &= ~bit;
    takt_dispatch_locked();
}

void takt_wake_locked(uint8_t place)
{
    struct takt_vcpu *v = vcpu_of(place);
    takt_time_t now = port_now();
    takt_trace_locked(now, TAKT_EV_READY, place, 0);
    if (v) {
        takt_server_wake(v, now);
        check(v);
        if (takt_server_usable(v, now)) {
            takt_cpu.ready |= takt_set_of(place);
            return;
        }
    }
    spend_locked(place);
}

/* Moves one spent thread back to the foreground if its replenishment has come. */
static void replenish_due(uint8_t place, takt_time_t now)
{
    port_irq_t irq = port_irq_save();
    takt_set_t bit = takt_set_of(place);
    struct takt_vcpu *v = vcpu_of(place);
    if (!(takt_cpu.spent & bit)) {
        /* woken and gone meanwhile */
    } else if (!takt_server_usable(v, now)) {
        takt_alarm_by_locked(v->list[0].at);
    } else {
        takt_cpu.spent &= ~bit;
        takt_cpu.background &= ~bit;
        takt_cpu.ready |= bit;
        takt_trace_locked(now, TAKT_EV_REPLENISH, place, v->list[0].amount);
        if (place == takt_cpu.current)
            port_switch_from_isr(); /* same thread, other band */
    }
    port_irq_restore(irq);
}

/* Has the running budget ended? In the handler, so only what was used before it counts. */
static void budget_end_due(takt_time_t now)
{
    port_irq_t irq = port_irq_save();
    if (takt_cpu.charging) {
        settle_locked(takt_cpu.used, now);
        if (takt_cpu.charging)
            takt_alarm_by_locked(now + vcpu_of(takt_cpu.current)->list[0].amount);
        else
            port_switch_from_isr();
    }
    port_irq_restore(irq);
}

void takt_budgets_due(takt_time_t now)
{
    budget_end_due(now);
    for (takt_set_t left = takt_cpu.spent; left; left &= left - 1)
        replenish_due(takt_set_first(left), now);
    if (now - takt_cpu.aged < TAKT_PERIOD_MAX)
        return;
    takt_cpu.aged = now;
    for (uint8_t place = 0; place < takt_cpu.count; place++) {
        port_irq_t irq = port_irq_save();
        if (vcpu_of(place))
            takt_server_age(vcpu_of(place), now);
        port_irq_restore(irq);
    }
}

void takt_isr_enter(void)
{
    port_irq_t irq = port_irq_save();
    takt_time_t now = port_now();
    if (takt_cpu.isr_depth == 0) {
        takt_cpu.used += now - takt_cpu.charged;
        takt_cpu.charged = now;
    }
    takt_cpu.isr_start[takt_cpu.isr_depth++] = now;
    port_irq_restore(irq);
}

void takt_isr_exit(uint8_t source)
{
    port_irq_t irq = port_irq_save();
    takt_time_t now = port_now();
    uint32_t took = now - takt_cpu.isr_start[--takt_cpu.isr_depth];
    takt_trace_locked(now, TAKT_EV_ISR, source, took);
    if (takt_cpu.isr_depth == 0) {
        takt_cpu.isr_us += took;
        takt_cpu.charged = now;
    }
    port_irq_restore(irq);
}

uint32_t takt_isr_us(void)
{
    return takt_cpu.isr_us;
}

/* Every server full from `now`; ready threads into their bands. */
static void restart_locked(takt_time_t now)
{
    for (uint8_t place = 0; place < takt_cpu.count; place++) {
        takt_set_t bit = takt_set_of(place);
        if (vcpu_of(place))
            takt_server_start(vcpu_of(place), now);
        if (!((takt_cpu.ready | takt_cpu.background | takt_cpu.spent) & bit))
            continue;
        takt_cpu.background &= ~bit;
        takt_cpu.spent &= ~bit;
        takt_cpu.ready |= bit;
        if (!vcpu_of(place))
            spend_locked(place);
    }
}

void takt_begin_first_locked(void)
{
    takt_time_t now = port_now();
    restart_locked(now);
    takt_cpu.current = takt_pick_locked();
    begin_locked(takt_cpu.current, now);
}

void takt_vcpu_restart_all(void)
{
    port_irq_t irq = port_irq_save();
    takt_time_t now = port_now();
    takt_cpu.charging = false;
    takt_trace_locked(now, TAKT_EV_SETUP, takt_cpu.current, 0);
    restart_locked(now);
    begin_locked(takt_cpu.current, now);
    takt_dispatch_locked();
    port_irq_restore(irq);
}
