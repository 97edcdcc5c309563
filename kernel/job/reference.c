/*
 * Releases by another clock than the board's timer (AnT, problem 5: a timer 0.4 % fast released
 * every thread 0.4 % too often).
 *
 * The reference is known at the instants the program tells; between them it goes on at the rate of
 * the last interval:
 *
 *     reference = reference0 + (timer - timer0) * (1 + rate)
 *
 * Each call sets reference0 to what was told, so errors never add up. The first interval only shows
 * the rate: releases do not jump by the error it had.
 */
#include "core/cpu.h"

#include <takt/periodic.h>

#if TAKT_HAS_REFERENCE

#define SHORTEST_US 1000u
#define ONE         ((int64_t)1 << 32)

static struct {
    bool told;    /* `said` is what the program told at timer0 */
    bool follows; /* and reference0 belongs to it */
    uint32_t said;
    takt_time_t timer0, reference0;
    int32_t rate, back; /* fractions of 2^32: rate, and that of 1 / (1 + rate) - 1 */
} clock;

static int32_t scaled(int32_t us, int32_t by)
{
    return (int32_t)((int64_t)us * by >> 32);
}

/* Moves the fixed point of the line: the clocks' differences from it must fit. */
static void anchor_locked(takt_time_t timer, takt_time_t reference)
{
    clock.timer0 = timer;
    clock.reference0 = reference;
}

takt_time_t takt_to_reference(takt_time_t at)
{
    port_irq_t irq = port_irq_save();
    int32_t since = (int32_t)(at - clock.timer0);
    takt_time_t result = clock.reference0 + (uint32_t)(since + scaled(since, clock.rate));
    if (since > (int32_t)TAKT_DURATION_MAX) {
        clock.told = false; /* too long ago to compare */
        anchor_locked(at, result);
    }
    port_irq_restore(irq);
    return result;
}

takt_time_t takt_from_reference(takt_time_t at)
{
    port_irq_t irq = port_irq_save();
    int32_t since = (int32_t)(at - clock.reference0);
    takt_time_t result = clock.timer0 + (uint32_t)(since + scaled(since, clock.back));
    if (clock.back)
        result++; /* not before it */
    port_irq_restore(irq);
    return result;
}

/* Budgets come back with the releases, not with the timer. Those of this CPU. */
static void scale_periods(void)
{
    for (uint8_t place = 0; place < takt_core.count; place++) {
        port_irq_t irq = port_irq_save();
        struct takt_vcpu *v = TAKT_OF(place, vcpu);
        if (takt_here(place) && v && (v->flags & TAKT_PERIODIC_VCPU)) {
            uint32_t period = ((struct takt_periodic *)v)->beat.period;
            v->period = period + (uint32_t)scaled((int32_t)period, clock.back) - (clock.back != 0);
        }
        port_irq_restore(irq);
    }
}

/* The program told before: `timer` us of the board's clock have been `reference` us of the other.
 */
static int follow_locked(takt_time_t now, uint32_t timer, uint32_t reference)
{
    int32_t gained = (int32_t)(reference - timer);
    uint32_t most = timer / 100;
    if (timer < SHORTEST_US || timer > TAKT_DURATION_MAX ||
        (uint32_t)(gained < 0 ? -gained : gained) > most)
        return TAKT_EINVAL;
    takt_time_t on = clock.follows ? clock.reference0 + reference : takt_to_reference(now);
    clock.rate = (int32_t)(gained * ONE / timer);
    clock.back = (int32_t)(-gained * ONE / reference);
    anchor_locked(now, on);
    return TAKT_OK;
}

/* Which threads are due on another CPU has changed, too. */
static void look_locked(struct takt_cross_call *call)
{
    (void)call;
    scale_periods();
    takt_alarm_by_locked(port_now());
}

int takt_periodic_reference(uint32_t us)
{
    if (!takt_may_block())
        return TAKT_ECONTEXT;
    port_irq_t irq = port_irq_save();
    takt_time_t now = port_now();
    int result = TAKT_OK;
    bool told = clock.told;
    if (told)
        result = follow_locked(now, now - clock.timer0, us - clock.said);
    if (!told || result != TAKT_OK)
        anchor_locked(now, takt_to_reference(now));
    clock.follows = told && result == TAKT_OK;
    clock.told = true;
    clock.said = us;
    takt_alarm_by_locked(now); /* which threads are due has changed */
    port_irq_restore(irq);
    if (told)
        scale_periods();
    takt_cross_call_others(&(struct takt_cross_call){.run_locked = look_locked});
    return result;
}

#if TAKT_DYNAMIC
void takt_reference_reset(void)
{
    clock.told = clock.follows = false;
    clock.rate = clock.back = 0;
    anchor_locked(0, 0);
}
#endif

#endif
