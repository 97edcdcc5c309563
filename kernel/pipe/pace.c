/*
 * Pacing (include/takt/endpoint.h): a thread that serves whatever comes, but at most once per
 * period. Its budget is whole again each time, and so one start per period is all that admission
 * counts.
 */
#include <takt/endpoint.h>
#include <takt/time.h>

#include "core/cpu.h"

#if TAKT_HAS_TIME

int takt_pace_rest(struct takt_pace *pace, uint32_t us)
{
    if (!pace->begun)
        return takt_may_block() ? TAKT_OK : TAKT_ECONTEXT;
    return takt_sleep_until(pace->last + us);
}

void takt_pace_begin(struct takt_pace *pace)
{
    pace->last = port_now();
    pace->begun = true;
}

int takt_pace_wait(struct takt_pace *pace, struct takt_sem *wake, uint32_t us)
{
    int result = takt_pace_rest(pace, us);
    if (result == TAKT_OK)
        result = takt_sem_wait(wake);
    if (result == TAKT_OK)
        takt_pace_begin(pace);
    return result;
}

#endif
