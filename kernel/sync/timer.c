/*
 * Software timers (include/takt/timer.h): a list in order of dates, and a thread that sleeps until
 * the first. Starting a timer that comes before all others wakes it, to sleep less.
 *
 * Dates are compared round the clock: none lies further ahead than TAKT_DURATION_MAX, and none
 * further back than the thread is late.
 */
#include "core/cpu.h"

#include <takt/time.h>
#include <takt/timer.h>

#if TAKT_HAS_TIME && TAKT_HAS_MUTEX

static void insert(struct takt_timer_service *service, struct takt_timer *timer)
{
    struct takt_timer **link = &service->first;
    while (*link && !takt_before(timer->at, (*link)->at))
        link = &(*link)->next;
    timer->next = *link;
    timer->of = service;
    *link = timer;
}

static void take_out(struct takt_timer *timer)
{
    struct takt_timer **link = &timer->of->first;
    while (*link != timer)
        link = &(*link)->next;
    *link = timer->next;
    timer->of = NULL;
}

int takt_timer_start(struct takt_timer_service *service, struct takt_timer *timer,
                     uint32_t first_us, uint32_t period_us)
{
    if (takt_is_null(service) || takt_is_null(timer) || first_us > TAKT_DURATION_MAX ||
        period_us > TAKT_DURATION_MAX || (timer->of && timer->of != service))
        return TAKT_EINVAL;
    int result = takt_mutex_lock(&service->mutex);
    if (result != TAKT_OK)
        return result;
    if (timer->of)
        take_out(timer);
    timer->at = port_now() + first_us + (first_us > 0);
    timer->period_us = period_us;
    insert(service, timer);
    bool first = service->first == timer;
    takt_mutex_unlock(&service->mutex);
    if (first)
        (void)takt_sem_signal(&service->changed);
    return TAKT_OK;
}

int takt_timer_stop(struct takt_timer *timer)
{
    struct takt_timer_service *service = takt_is_null(timer) ? NULL : timer->of;
    if (!service)
        return TAKT_EAGAIN;
    int result = takt_mutex_lock(&service->mutex);
    if (result != TAKT_OK)
        return result;
    if (timer->of)
        take_out(timer);
    else
        result = TAKT_EAGAIN; /* called meanwhile, the last time */
    takt_mutex_unlock(&service->mutex);
    return result;
}

/* The first of its dates behind `now`: those before have the call together that comes now. */
static takt_time_t next_date(const struct takt_timer *timer, takt_time_t now)
{
    uint32_t late = now - timer->at;
    return timer->at + (late / timer->period_us + 1) * timer->period_us;
}

/* Takes out the timer that is due, its next date set; NULL if none is. */
static struct takt_timer *due(struct takt_timer_service *service)
{
    struct takt_timer *timer = service->first;
    takt_time_t now = port_now();
    if (!timer || takt_before(now, timer->at))
        return NULL;
    take_out(timer);
    if (timer->period_us > 0) {
        timer->at = next_date(timer, now);
        insert(service, timer);
    }
    return timer;
}

/* Until `at` or, if there is no such date, as long as it takes; or there is another first one. */
static void wait_for_date(struct takt_timer_service *service, bool dated, takt_time_t at)
{
    if (!dated) {
        (void)takt_sem_wait(&service->changed);
        return;
    }
    port_irq_t irq = port_irq_save();
    if (service->changed.count > 0) {
        service->changed.count = 0;
        port_irq_restore(irq);
    } else {
        takt_note_wait_locked(takt_core.current, &service->changed);
        (void)takt_sleep_locked(&service->changed.waiters, at);
    }
}

void takt_timer_serve(void *argument)
{
    struct takt_timer_service *service = argument;
    for (;;) {
        takt_mutex_lock(&service->mutex);
        struct takt_timer *timer = due(service);
        void (*call)(void *) = timer ? timer->call : NULL;
        void *arg = timer ? timer->arg : NULL;
        bool dated = service->first;
        takt_time_t at = dated ? service->first->at : 0;
        takt_mutex_unlock(&service->mutex);
        if (timer)
            call(arg);
        else
            wait_for_date(service, dated, at);
    }
}

#endif
