/* Instants of the microsecond timer, and waits that leave the CPU to other loops. */
#ifndef TAKT_PICO_TIME_H
#define TAKT_PICO_TIME_H

#include <hardware/timer.h>

struct repeating_timer;
typedef bool (*repeating_timer_callback_t)(struct repeating_timer *timer);

struct repeating_timer {
    int64_t delay_us;
    repeating_timer_callback_t callback;
    void *user_data;
    uint32_t at; /* the rest is drivers/clock/rp2040_repeating.c's */
    struct repeating_timer *next;
};
typedef struct repeating_timer repeating_timer_t;

#ifdef __cplusplus
extern "C" {
#endif

void delay(unsigned long ms); /* Arduino.h */

/*
 * Calls the function in an interrupt again and again, until it returns false: so long after it has
 * returned, or, where the delay is negative, so long after it was last due. As a handler of
 * attachInterruptIsr() it may not wait. The proof covers one function of up to 5 us every 50 us;
 * what may be a job or a task is better one (Takt.h). False: the delay is 0 or above 35 minutes.
 * Thread or main.
 */
bool add_repeating_timer_us(int64_t delay_us, repeating_timer_callback_t callback, void *user_data,
                            repeating_timer_t *timer);
/* Whether it was there. Thread or main, or in the function itself. */
bool cancel_repeating_timer(repeating_timer_t *timer);

/* An alarm: called in the interrupt, too, and counted as one of the above. What it returns is when
 * again: never (0), so long after it has returned, or, negative, after it was last due. */
typedef int32_t alarm_id_t;
typedef int64_t (*alarm_callback_t)(alarm_id_t id, void *user_data);

/* The alarm's number, -1: there are 16 already, or the time is above 35 minutes; 0: its time is
 * past, and it is not to be called then. Thread or main. */
alarm_id_t add_alarm_in_us(uint64_t us, alarm_callback_t callback, void *user_data,
                           bool fire_if_past);
bool cancel_alarm(alarm_id_t id);

#ifdef __cplusplus
}
#endif

static inline bool add_repeating_timer_ms(int32_t delay_ms, repeating_timer_callback_t callback,
                                          void *user_data, repeating_timer_t *timer)
{
    return add_repeating_timer_us((int64_t)delay_ms * 1000, callback, user_data, timer);
}

static inline alarm_id_t add_alarm_in_ms(uint32_t ms, alarm_callback_t callback, void *user_data,
                                         bool fire_if_past)
{
    return add_alarm_in_us((uint64_t)ms * 1000u, callback, user_data, fire_if_past);
}

typedef uint64_t absolute_time_t;

#define nil_time           ((absolute_time_t)0)
#define at_the_end_of_time ((absolute_time_t)INT64_MAX)

static inline absolute_time_t get_absolute_time(void)
{
    return time_us_64();
}

static inline uint64_t to_us_since_boot(absolute_time_t at)
{
    return at;
}

static inline uint32_t to_ms_since_boot(absolute_time_t at)
{
    return (uint32_t)(at / 1000u);
}

static inline absolute_time_t from_us_since_boot(uint64_t us)
{
    return us;
}

static inline absolute_time_t delayed_by_us(absolute_time_t at, uint64_t us)
{
    return at + us;
}

static inline absolute_time_t delayed_by_ms(absolute_time_t at, uint32_t ms)
{
    return at + (uint64_t)ms * 1000u;
}

static inline absolute_time_t make_timeout_time_us(uint64_t us)
{
    return delayed_by_us(get_absolute_time(), us);
}

static inline absolute_time_t make_timeout_time_ms(uint32_t ms)
{
    return delayed_by_ms(get_absolute_time(), ms);
}

static inline int64_t absolute_time_diff_us(absolute_time_t from, absolute_time_t to)
{
    return (int64_t)(to - from);
}

static inline bool time_reached(absolute_time_t at)
{
    return get_absolute_time() >= at;
}

static inline void sleep_ms(uint32_t ms)
{
    delay(ms);
}

/* Whole milliseconds asleep, the rest busy. */
static inline void sleep_us(uint64_t us)
{
    if (us >= 1000u)
        delay((unsigned long)(us / 1000u));
    busy_wait_us_32((uint32_t)(us % 1000u));
}

static inline void sleep_until(absolute_time_t at)
{
    int64_t left = absolute_time_diff_us(get_absolute_time(), at);
    if (left > 0)
        sleep_us((uint64_t)left);
}

static inline alarm_id_t add_alarm_at(absolute_time_t at, alarm_callback_t callback,
                                      void *user_data, bool fire_if_past)
{
    int64_t left = absolute_time_diff_us(get_absolute_time(), at);
    return add_alarm_in_us(left > 0 ? (uint64_t)left : 0u, callback, user_data, fire_if_past);
}

#endif
