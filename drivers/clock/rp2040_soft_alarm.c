/*
 * Alarms for drivers/uart/soft.c: each is a function of the timer that is called once, and again if
 * it has set itself meanwhile.
 */
#include <soft_alarm.h>
#include <takt/port.h>

static bool rang(struct repeating_timer *timer)
{
    struct soft_alarm *alarm = timer->user_data;
    alarm->set = false;
    alarm->rings = true;
    alarm->fn(alarm);
    alarm->rings = false;
    if (alarm->set)
        timer->delay_us = -(int64_t)(alarm->at - timer->at); /* from when it was due */
    return alarm->set;
}

void soft_alarm_set(struct soft_alarm *alarm, takt_time_t at)
{
    alarm->at = at;
    alarm->set = true;
    if (alarm->rings)
        return;
    takt_time_t now = port_now();
    (void)add_repeating_timer_us(takt_before(now, at) ? (int64_t)(at - now) : 1, rang, alarm,
                                 &alarm->timer);
}

void soft_alarm_off(struct soft_alarm *alarm)
{
    if (alarm->set && !alarm->rings)
        (void)cancel_repeating_timer(&alarm->timer);
    alarm->set = false;
}
