/*
 * What the files of budgets share: accounts.c, alarm.c, bands.c, dispatch.c.
 */
#ifndef TAKT_KERNEL_VCPU_H
#define TAKT_KERNEL_VCPU_H

#include "core/cpu.h"
#include "server.h"

#include <takt/vcpu.h>

/* NULL: it has none. */
static inline struct takt_vcpu *takt_vcpu_of(uint8_t place)
{
    return TAKT_OF(place, vcpu);
}

/* The thread, ready, has no usable budget now: background band until its next replenishment. */
void takt_spend_locked(uint8_t place);

/* Is there something to settle? Always of bottom halves. A thread that has unlocked a mutex may
 * have run on what comes next. */
bool takt_is_over_locked(takt_time_t now);

/* The running thread has used all it was given, or is a bottom half: takes that from its server,
 * and its band when nothing is left. Returns whether a piece of its budget has ended. */
bool takt_settle_locked(takt_time_t now, port_irq_t irq);

/* Does the thread of `v` wake so soon after the date of its budget, of which it has used some, that
 * it keeps that (server.c)? Then there is nothing to do but to pay, if that leaves something: from
 * here on, or, at once, as soon as it runs. */
bool takt_keeps_date_locked(struct takt_vcpu *v, takt_time_t now, bool at_once);

/* Does all there is to do; nothing is pending when it returns, and interrupts are still off. */
void takt_catch_up_locked(port_irq_t irq);

/* `next` is about to run: what can be done for it with interrupts on. */
void takt_prepare(uint8_t next, port_irq_t irq);

/* The alarm rings at `at` or before: the dispatcher sees to that when it runs. If it wakes no
 * thread then, the one at `place` pays for it. */
void takt_alarm_for_locked(uint8_t place, takt_time_t at);

/* Lets pending interrupts in, so that none waits for the sum of several steps. */
static inline __attribute__((always_inline)) void takt_breathe_own(port_irq_t irq)
{
    takt_own_restore(irq);
    takt_own_save();
}

/* Does the thread at `place` pay for what the kernel does for it? One that has no budget left and
 * interrupts none that has does not: it takes spare time. */
static inline bool takt_pays_locked(uint8_t place)
{
    const struct takt_vcpu *v = takt_vcpu_of(place);
    return v && (takt_cpu.charging || takt_server_usable(v, port_now()));
}

/* The running budget is to end with an alarm. Not before the thread has begun: the alarm could ring
 * too early, again and again. */
void takt_watch_locked(void);

/* `next` runs from now on, but for the way to it; no thread has run since `since`. */
void takt_begin_locked(uint8_t next, takt_time_t since);

/* Is there something for the dispatcher to do? */
static inline bool takt_pending_locked(void)
{
    return TAKT_SEEN(takt_cpu.woken) || takt_cpu.rang || TAKT_SEEN(takt_cpu.raised) ||
           takt_cross_calls_wait();
}

#endif
