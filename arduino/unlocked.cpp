/*
 * What loops and setup() must not leave behind: a locked mutex, or no other loop would ever run again.
 */
#include <takt/mutex.h>
#include <takt/thread.h>

#include "pgmspace.h"
#include "start.h"

static __attribute__((noinline, noreturn)) void end_locked()
{
    TAKT_FACT("last");
    char why[40];
    strcpy_P(why, PSTR("loop or setup ended with a mutex locked"));
    takt_fatal(TAKT_FATAL_CONTEXT, takt_self(), why);
}

void takt_require_unlocked()
{
    if (takt_mutex_held())
        end_locked();
}
