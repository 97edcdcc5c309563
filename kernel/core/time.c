/*
 * Time: sleeping threads. A set says which sleep, takt_wakes until when; the alarm is armed for the
 * earliest. Only threads and the alarm's handler change these, so the handler, during which no
 * thread runs, looks at them with interrupts on.
 *
 * Going to sleep takes two steps, with interrupts let in between. After the first the alarm may
 * ring, and a thread that waits for a semaphore may be handed a unit: the caller, still running,
 * loses its bit in the one set or the other, which it sees in the second step.
 *
 * A duration of n us ends n + 1 ticks after the clock reading that began it, because the reading
 * may already be almost a tick old: no thread wakes early.
 *
 * The one alarm is armed for the earliest of wake-ups, releases, replenishments and budget ends.
 * Once it has rung it goes on ringing; with budgets within TAKT_ALARM_FAR, so that dates never grow
 * older than half the clock's range.
 */
#include "cpu.h"

#include <takt/isr.h>
#include <takt/time.h>

takt_time_t takt_now(void)
{
    return port_now();
}

#if TAKT_HAS_TIME

__asm__(".globl port_switch_from_isr"); /* for handlers of the port's own dispatcher */

#if TAKT_DYNAMIC
takt_time_t takt_wakes[TAKT_PLACES];
#endif

#if !TAKT_HAS_BUDGETS
void takt_alarm_by_locked(takt_time_t at)
{
    port_alarm(at);
}
#endif

static inline takt_set_t self_locked(void)
{
    return takt_set_of(takt_core.current);
}

/* For the trace. */
static inline enum takt_block_reason why(const takt_set_t *set)
{
    bool sleeps = TAKT_TRACE_EVENTS > 0 && set == &takt_timers.sleepers;
    return sleeps ? TAKT_BLOCK_SLEEP : TAKT_BLOCK_SEM;
}

/* There is no other thread: the alarm ends the CPU's sleep, and that is all. It may ring early. */
static inline int sleep_alone_locked(takt_set_t *set, takt_time_t at)
{
    *set = 1;
    while (*(volatile takt_set_t *)set && takt_before(port_now(), at)) {
        takt_alarm_by_locked(at);
        takt_idle_locked();
    }
    bool ended = *set && set != &takt_timers.sleepers;
    *set = 0;
    port_irq_restore(0);
    return ended ? TAKT_ETIMEOUT : TAKT_OK;
}

int takt_sleep_locked(takt_set_t *set, takt_time_t at)
{
    if (TAKT_ONE_THREAD)
        return sleep_alone_locked(set, at);
    takt_wakes[takt_core.current] = at;
    if (takt_timers.sleepers == 0 || takt_before(at, takt_timers.wake_at)) {
        takt_timers.wake_at = at;
        takt_alarm_by_locked(at);
    }
    takt_set_t self = self_locked();
    takt_timers.sleepers |= self;
    *set |= self;
    if (TAKT_DYNAMIC)
        takt_check_stack(takt_core.current); /* places move once interrupts are on */
    port_irq_restore(0);
    if (!TAKT_DYNAMIC)
        takt_check_stack(takt_core.current);
    if (TAKT_HAS_TASKS)
        takt_tasks_alarm();
    port_irq_save();
    if (TAKT_DYNAMIC)
        self = self_locked();
    if (takt_timers.sleepers & *set & self)
        takt_block_locked(why(set), 0);
    if (TAKT_DYNAMIC)
        self = self_locked();
    takt_timers.sleepers = takt_set_without(takt_timers.sleepers, self);
    takt_set_t left = *set & self;
    *set = (takt_set_t)(*set - left);
    takt_note_wait_locked(takt_core.current, NULL);
    port_irq_restore(0);
    return left ? TAKT_ETIMEOUT : TAKT_OK;
}

int takt_sleep_until(takt_time_t at)
{
    bool late = !takt_before(port_now(), at);
    if (takt_check_block() <= 0)
        return TAKT_ECONTEXT;
    if (late)
        return TAKT_OK;
    port_irq_save();
    return takt_sleep_locked(&takt_timers.sleepers, at);
}

int takt_sleep(uint32_t us)
{
    TAKT_FACT("only threads");
    if (us > TAKT_DURATION_MAX)
        return TAKT_EINVAL;
    return takt_sleep_until(port_now() + us + (us > 0));
}

int takt_sleep_ms(uint32_t ms)
{
    /* One thread: short enough for narrow numbers. */
    enum { STEP_MS = TAKT_ONE_THREAD ? UINT16_MAX / 1000 : TAKT_DURATION_MAX / 1000 / 2 };
    takt_time_t at = port_now() + (ms > 0);
    int result;
    do {
        uint32_t step = ms < STEP_MS ? ms : STEP_MS;
        at += TAKT_ONE_THREAD ? (uint16_t)((uint16_t)step * 1000u) : step * 1000;
        ms -= step;
        result = takt_sleep_until(at);
    } while (ms > 0 && result == TAKT_OK);
    return result;
}

takt_time_t takt_sleepers_due(takt_time_t now)
{
    if (takt_before(now, takt_timers.wake_at))
        return takt_timers.wake_at;
    takt_time_t next = now + TAKT_ALARM_FAR;
    takt_set_t due = takt_timers.sleepers, bit = 1;
    const takt_time_t *wake = takt_wakes;
    for (takt_set_t left = due; left; left >>= 1, bit = (takt_set_t)(bit << 1), wake++) {
        if (!(left & 1u) || !takt_before(now, *wake))
            continue;
        due = (takt_set_t)(due - bit);
        if (takt_before(*wake, next))
            next = *wake;
    }
    takt_timers.wake_at = next;
    takt_timers.sleepers = (takt_set_t)(takt_timers.sleepers - due);
    takt_wake_isr(due);
    return next;
}

#endif

#if TAKT_HAS_ALARM

void takt_alarm_isr(void)
{
    if (TAKT_ONE_THREAD)
        return;
    takt_isr_enter();
    takt_time_t now = port_now();
    takt_time_t next = TAKT_HAS_TIME ? takt_sleepers_due(now) : now + TAKT_ALARM_FAR;
    if (TAKT_HAS_JOBS)
        next = takt_releases_due(now, next);
    if (TAKT_HAS_TASKS)
        next = takt_tasks_due(now, next);
    port_irq_t irq = takt_own_save();
    if (TAKT_HAS_BUDGETS)
        takt_budgets_due_locked(now, next);
    else
        port_alarm(next);
    takt_own_restore(irq);
    takt_isr_exit(TAKT_ALARM_SOURCE);
}

#endif
