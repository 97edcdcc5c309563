/*
 * Time: the clock, sleeping. Tickless: one alarm, armed for the earliest event.
 */
#ifndef TAKT_TIME_H
#define TAKT_TIME_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The clock, in microseconds. Either context. O(1). */
takt_time_t takt_now(void);

/*
 * Sleeps at least `us` (never less; 0 returns at once). Thread context, may block.
 * Bound: wakes within the thread's response time after the instant.
 * Errors: TAKT_EINVAL above TAKT_DURATION_MAX, TAKT_ECONTEXT in an interrupt or holding a mutex.
 */
int takt_sleep(uint32_t us);

/* Sleeps until the clock reads `at` or later; at once if it already does. As takt_sleep(). */
int takt_sleep_until(takt_time_t at);

/* Sleeps at least `ms`, any length up to 2^32-1 ms (49.7 days). As takt_sleep(). */
int takt_sleep_ms(uint32_t ms);

#ifdef __cplusplus
}
#endif

#endif
