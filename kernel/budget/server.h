/*
 * The sporadic server behind a Main VCPU: pure functions on its list of replenishments. Nothing
 * here reads a clock, switches or traces. Private to kernel/.
 */
#ifndef TAKT_KERNEL_SERVER_H
#define TAKT_KERNEL_SERVER_H

#include <takt/vcpu.h>

/* Full budget, usable from now. */
void takt_server_start(struct takt_vcpu *v, takt_time_t now);

/* Is there budget to run on at `now`? */
static inline bool takt_server_usable(const struct takt_vcpu *v, takt_time_t now)
{
    return !takt_before(now, v->list[0].at);
}

/* Until when after the head's date a wake-up keeps that: jitter of its releases to other threads,
 * us. */
static inline uint32_t takt_server_jitter(const struct takt_vcpu *v)
{
    return v->jitter > 0 ? v->period >> v->jitter : 0;
}

/* The thread was blocked and wakes: its usable budget counts from now on. */
void takt_server_wake(struct takt_vcpu *v, takt_time_t now);

/* The thread is about to become runnable on usable budget, for which, and before, the kernel has
 * worked `us`. May leave nothing usable. */
void takt_server_begin(struct takt_vcpu *v, uint32_t us, takt_time_t now);

/* The thread waits for budget: pieces too small to be worth a start join their successors. */
void takt_server_gather(struct takt_vcpu *v, takt_time_t now);

/* The thread is about to run on usable budget. Applies the starvation rule; returns whether it
 * fired. */
bool takt_server_dispatch(struct takt_vcpu *v, takt_time_t now);

/* Takes `used` from the head of a Main VCPU if something of that is left; else changes nothing. */
static inline bool takt_server_take(struct takt_vcpu *v, uint32_t used)
{
    if (used >= v->list[0].amount)
        return false;
    v->list[0].amount -= used;
    v->open += used;
    return true;
}

/* The thread ran `used` us, up to `now`. Use beyond the usable budget is taken from later
 * replenishments, none of which is put off to more than 2^30 us from now: a debt that would is
 * forgotten in part. Bound: TAKT_REPLENISHMENTS^2, however much was used. Returns the response time
 * of the last replenishment it finished (us since that became usable), or -1. */
int32_t takt_server_consume(struct takt_vcpu *v, uint32_t used, takt_time_t now);

/* Keeps dates within reach of the wrapping clock; to be called at least every 2^30 us. */
void takt_server_age(struct takt_vcpu *v, takt_time_t now);

/* Changes the budget by moving what is held: an increase becomes usable at `from`. The caller
 * has checked 0 < c_us <= period. */
void takt_server_set_budget(struct takt_vcpu *v, uint32_t c_us, takt_time_t from);

/* Are the invariants of server.c true? `owed`: use not yet consumed. */
bool takt_server_sound(const struct takt_vcpu *v);

#endif
