/*
 * watchdog(T): the board's watchdog, fed once in every T if no loop, job, handler or pipe is owed
 * budget then; it resets the chip when it has not been fed for two of them, or a little more.
 *
 *     watchdog(1000);    // T = 1 s, no shorter than the T of any other
 *
 * Once, beside the functions. takt_watchdog_caused_reset() tells of the last reset.
 * takt/watchdog.h has the rules. It watches from the end of setup() on.
 */
#ifndef TAKT_SKETCH_WATCHDOG_H
#define TAKT_SKETCH_WATCHDOG_H

#include <takt/watchdog.h>

#include "loops.h"

#define watchdog(t)                                                                                \
    constexpr int64_t takt_watchdog_period = takt::duration_us(t);                                 \
    TAKT_WATCHDOG_CHECK_(takt_watchdog_period);                                                    \
    extern "C" {                                                                                   \
    static void takt_watchdog_body();                                                              \
    }                                                                                              \
    TAKT_WATCHDOG_DEFINE_(static_cast<uint32_t>(takt_watchdog_period), takt_arduino_thread,        \
                          reinterpret_cast<void *>(takt_watchdog_body))                            \
    void takt_watchdog_body()                                                                      \
    {                                                                                              \
        takt_watchdog_thread(&takt_vcpu_watchdog);                                                 \
    }                                                                                              \
    static_assert(true, "")

#endif
