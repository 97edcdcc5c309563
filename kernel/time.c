/*
 * Time: sleeping threads. A set says who sleeps, takt_wakes until when; the alarm is armed for the
 * earliest. The handler looks at each sleeper once, unlocking between two, so interrupts wait
 * for one thread at most.
 *
 * A duration of n us ends n + 1 ticks after the clock reading that began it, because the reading
 * may already be almost a tick old: nobody wakes early.
 */
#include "sleep.h"

#include <takt/time.h>

#if TAKT_DYNAMIC
takt_time_t takt_wakes[TAKT_PLACES];
#endif

takt_time_t takt_now(void)
{
    return port_now();
}

static void wake_by_locked(takt_time_t at)
{
    if (takt_timers.sleepers == 0 || takt_before(at, takt_timers.wake_at))
        takt_timers.wake_at = at;
    takt_alarm_by_locked(at);
}

void takt_sleep_locked(takt_time_t at, enum takt_block_reason reason, port_irq_t irq)
{
    takt_wakes[takt_core.current] = at;
    wake_by_locked(at);
    takt_timers.sleepers |= takt_set_of(takt_core.current);
    takt_block_locked(reason, irq);
}

int takt_sleep_until(takt_time_t at)
{
    if (!takt_may_block())
        return TAKT_ECONTEXT;
    takt_check_stack(takt_core.current);
    port_irq_t irq = port_irq_save();
    int result = irq ? TAKT_ECONTEXT : TAKT_OK;
    if (!irq && takt_before(port_now(), at))
        takt_sleep_locked(at, TAKT_BLOCK_SLEEP, irq);
    port_irq_restore(irq);
    return result;
}

int takt_sleep(uint32_t us)
{
    if (us > TAKT_DURATION_MAX)
        return TAKT_EINVAL;
    if (us == 0)
        return takt_may_block() ? TAKT_OK : TAKT_ECONTEXT;
    return takt_sleep_until(port_now() + us + 1);
}

int takt_sleep_ms(uint32_t ms)
{
    enum { STEP_MS = TAKT_DURATION_MAX / 1000 / 2 };
    takt_time_t at = port_now() + 1;
    int result = takt_may_block() ? TAKT_OK : TAKT_ECONTEXT;
    while (ms > 0 && result == TAKT_OK) {
        uint32_t step = ms < STEP_MS ? ms : STEP_MS;
        at += step * 1000;
        ms -= step;
        result = takt_sleep_until(at);
    }
    return result;
}

/* Wakes one sleeper if its time has come, else remembers when that will be. */
static void sleeper_due(uint8_t place, takt_time_t now)
{
    port_irq_t irq = port_irq_save();
    takt_set_t bit = takt_set_of(place);
    takt_time_t wake = takt_wakes[place];
    if (!(takt_timers.sleepers & bit)) {
        /* woken by somebody else meanwhile */
    } else if (takt_before(now, wake)) {
        if (takt_before(wake, takt_timers.wake_at))
            takt_timers.wake_at = wake;
    } else {
        takt_timers.sleepers &= ~bit;
        takt_wake_locked(place);
    }
    port_irq_restore(irq);
}

void takt_sleepers_due(takt_time_t now)
{
    if (takt_timers.sleepers && !takt_before(now, takt_timers.wake_at)) {
        takt_timers.wake_at = now + TAKT_DURATION_MAX;
        for (takt_set_t left = takt_timers.sleepers; left; left &= left - 1)
            sleeper_due(takt_set_first(left), now);
    }
    port_irq_t irq = port_irq_save();
    if (takt_timers.sleepers)
        takt_alarm_by_locked(takt_timers.wake_at);
    port_irq_restore(irq);
}
