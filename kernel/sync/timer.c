/*
 * Software timers (include/takt/timer.h): a list in order of dates that is the service's thread's
 * alone, so it needs no lock. Starting notes what is wanted, puts the timer into a list of those
 * that the thread is to look at, and wakes it; stopping takes back the permission to call.
 *
 * Dates are compared round the clock: none lies further ahead than TAKT_DURATION_MAX, and none
 * further back than the thread is late.
 */
#include "core/cpu.h"

#include <takt/time.h>
#include <takt/timer.h>

#if TAKT_HAS_TIME

static void insert(struct takt_timer_service *service, struct takt_timer *timer)
{
    struct takt_timer **link = &service->first;
    while (*link && !takt_before(timer->at, (*link)->at))
        link = &(*link)->next;
    timer->next = *link;
    timer->listed = true;
    *link = timer;
}

static void take_out(struct takt_timer_service *service, struct takt_timer *timer)
{
    struct takt_timer **link = &service->first;
    while (*link != timer)
        link = &(*link)->next;
    *link = timer->next;
    timer->listed = false;
}

static void note_change_locked(struct takt_timer_service *service, struct takt_timer *timer)
{
    if (timer->changed)
        return;
    timer->changed = true;
    timer->next_changed = NULL;
    if (service->changed)
        service->last_changed->next_changed = timer;
    else
        service->changed = timer;
    service->last_changed = timer;
}

static int start(struct takt_timer_service *service, struct takt_timer *timer, uint32_t first_us,
                 uint32_t period_us)
{
    if (takt_is_null(service) || takt_is_null(timer) || first_us > TAKT_DURATION_MAX ||
        period_us > TAKT_DURATION_MAX || (timer->of && timer->of != service))
        return TAKT_EINVAL;
    port_irq_t irq = port_irq_save();
    timer->of = service;
    timer->wanted_at = port_now() + first_us + (first_us > 0);
    timer->period_us = period_us;
    timer->started = true;
    note_change_locked(service, timer);
    port_irq_restore(irq);
    return TAKT_OK;
}

int takt_timer_start(struct takt_timer_service *service, struct takt_timer *timer,
                     uint32_t first_us, uint32_t period_us)
{
    int result = takt_check_block();
    if (result >= 0)
        result = start(service, timer, first_us, period_us);
    if (result == TAKT_OK)
        (void)takt_sem_signal(&service->wake); /* or it is to look already */
    return result;
}

#if TAKT_HAS_PREEMPTION
int takt_timer_start_isr(struct takt_timer_service *service, struct takt_timer *timer,
                         uint32_t first_us, uint32_t period_us)
{
    int result = start(service, timer, first_us, period_us);
    if (result == TAKT_OK)
        (void)takt_sem_signal_isr(&service->wake);
    return result;
}
#endif

int takt_timer_stop(struct takt_timer *timer)
{
    if (takt_is_null(timer))
        return TAKT_EINVAL;
    port_irq_t irq = port_irq_save();
    bool was = timer->started;
    timer->started = false;
    port_irq_restore(irq);
    return was ? TAKT_OK : TAKT_EAGAIN;
}

/* A timer that has been started since the thread looked, no longer among those; NULL: none. */
static struct takt_timer *take_changed(struct takt_timer_service *service)
{
    port_irq_t irq = port_irq_save();
    struct takt_timer *timer = service->changed;
    takt_time_t wanted = timer ? timer->wanted_at : 0;
    if (timer) {
        service->changed = timer->next_changed;
        timer->changed = false;
    }
    port_irq_restore(irq);
    if (timer && timer->listed)
        take_out(service, timer);
    if (timer)
        timer->at = wanted;
    return timer;
}

/* The first of a timer's dates behind `now`: those before have the call together that comes now. */
static takt_time_t next_date(takt_time_t at, uint32_t period_us, takt_time_t now)
{
    return at + ((now - at) / period_us + 1) * period_us;
}

/* The timer, out of the list, is due. May its function be called? Not if it has been stopped, or
 * started anew, since. If it will be again the timer returns to the list. */
static bool comes_due(struct takt_timer_service *service, struct takt_timer *timer, takt_time_t now)
{
    port_irq_t irq = port_irq_save();
    bool calls = timer->started && !timer->changed;
    uint32_t period_us = timer->period_us;
    timer->started = timer->started && (!calls || period_us > 0);
    port_irq_restore(irq);
    if (calls && period_us > 0) {
        timer->at = next_date(timer->at, period_us, now);
        insert(service, timer);
    }
    return calls;
}

/* Until the first date or, if there is none, as long as it takes; or a timer is started. */
static void wait_for_date(struct takt_timer_service *service)
{
    port_irq_t irq = port_irq_save();
    struct takt_sem *wake = &service->wake;
    if (wake->count > 0 || !service->first) {
        port_irq_restore(irq);
        (void)takt_sem_wait(wake);
    } else {
        takt_note_wait_locked(takt_core.current, wake);
        (void)takt_sleep_locked(&wake->waiters, service->first->at);
    }
}

void takt_timer_serve(void *argument)
{
    struct takt_timer_service *service = argument;
    for (;;) {
        struct takt_timer *timer = take_changed(service);
        takt_time_t now = port_now();
        if (timer) {
            insert(service, timer);
        } else if ((timer = service->first) && !takt_before(now, timer->at)) {
            take_out(service, timer);
            if (comes_due(service, timer, now))
                timer->call(timer->arg);
        } else {
            wait_for_date(service);
        }
    }
}

#endif
