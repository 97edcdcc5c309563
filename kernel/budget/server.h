/*
 * The sporadic server behind a Main VCPU: functions on its list of replenishments. Nothing here
 * reads a clock, switches or traces. Private to kernel/.
 */
#ifndef TAKT_KERNEL_SERVER_H
#define TAKT_KERNEL_SERVER_H

#include <takt/vcpu.h>

/*
 * What runs is counted in parts, and taken from the list only when that is wanted:
 *
 *      given     us of the head that `left` began with
 *      left      counts down while the thread pays (use.h)
 *
 * Invariant: given us less `left` parts have been used and not yet taken.
 */

/* Given at most, us: within half the range of the parts. */
#define TAKT_GIVEN_MAX (((uint32_t)1 << 29) / TAKT_PARTS)

/* Microseconds of so many parts, never too many, without dividing: too few by one, and by one in
 * 70000. */
static inline uint32_t takt_about(uint32_t parts)
{
    const uint32_t inverse = (uint32_t)((1ul << 21) / TAKT_PARTS);
    if ((TAKT_PARTS & (TAKT_PARTS - 1)) == 0)
        return parts / TAKT_PARTS;
    return ((parts >> 16) * inverse >> 5) + ((parts & 0xFFFF) * inverse >> 21);
}

/* All whole ones. */
static inline uint32_t takt_whole(uint32_t parts)
{
    uint32_t us = takt_about(parts);
    for (parts -= us * TAKT_PARTS; parts >= TAKT_PARTS; us++)
        parts -= TAKT_PARTS;
    return us;
}

static inline uint32_t takt_server_untaken(const struct takt_vcpu *v)
{
    return v->given * TAKT_PARTS - v->left;
}

/* Has all been used that was given? */
static inline bool takt_server_over(const struct takt_vcpu *v)
{
    return (int32_t)v->left <= 0;
}

/* us that have been used, for takt_server_consume(). Interrupts off. */
static inline uint32_t takt_server_used(struct takt_vcpu *v)
{
    uint32_t us = takt_whole(takt_server_untaken(v));
    v->given -= us;
    return us;
}

/* Lends the thread what the head has, after the list has changed; where nothing is usable, what
 * will be owed. Interrupts off. */
static inline void takt_server_give(struct takt_vcpu *v)
{
    uint32_t us = v->list[0].amount - 1 < TAKT_GIVEN_MAX ? v->list[0].amount : TAKT_GIVEN_MAX;
    v->left += (us - v->given) * TAKT_PARTS;
    v->given = us;
}

/* The same, of nothing: the dispatcher is to look. */
static inline void takt_server_give_none(struct takt_vcpu *v)
{
    v->left -= v->given * TAKT_PARTS;
    v->given = 0;
}

/* Takes what has been used. Interrupts off. */
void takt_server_settle(struct takt_vcpu *v, takt_time_t now);

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

/* Are the invariants of server.c true? */
bool takt_server_sound(const struct takt_vcpu *v);

#endif
