/*
 * What the files of budgets share: vcpu_main.c, vcpu_alarm.c, vcpu_start.c.
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
