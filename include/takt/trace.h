/*
 * Trace: what the scheduler did, as 12-byte events in a RAM ring that a debugger or emulator
 * drains through an RTT-compatible control block (symbol _SEGGER_RTT, up channel 1, named
 * "takt"). A full ring drops new events and counts them.
 */
#ifndef TAKT_TRACE_H
#define TAKT_TRACE_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum takt_event_kind {
    TAKT_EV_START = 1,     /* value: number of threads */
    TAKT_EV_RUN = 2,       /* place runs from now (TAKT_NOBODY: idle); value: bit 0: in the
                              background; above: us before now in which no thread ran */
    TAKT_EV_READY = 3,     /* place became ready; value: us since it woke */
    TAKT_EV_BLOCK = 4,     /* place blocked; value: enum takt_block_reason */
    TAKT_EV_EXHAUST = 5,   /* place has no budget left */
    TAKT_EV_REPLENISH = 6, /* place, ready and exhausted before, has budget again */
    TAKT_EV_CHUNK = 7,     /* place used up a replenishment (or blocked having used part of it);
                              value: us since that replenishment became usable = response time */
    TAKT_EV_STARVED = 8,   /* place: starvation rule fired */
    TAKT_EV_ISR = 9,       /* handler done; place: source; value: us it took */
    TAKT_EV_MARK = 10,     /* takt_trace_mark(): place: caller or NOBODY; value: user's */
    TAKT_EV_SETUP = 11,    /* setup() is over, budgets start afresh now */
    TAKT_EV_LOST = 12,     /* value: events lost before this one */
    TAKT_EV_CREATE = 13,   /* a thread was inserted at place; later ones moved up by one */
    TAKT_EV_EVENT = 14,    /* a top half noted an event; place: bottom half; value: source (pin), or
                              0xFF while only the bottom half can tell */
    TAKT_EV_DELIVER = 15,  /* place takes an event; value: source << 24 | us since its interrupt,
                              at most 0xFFFFFF */
    TAKT_EV_MERGED = 16,   /* events for place became part of one that waited; value: source << 24 |
                              how many */
    TAKT_EV_SHARE = 17,    /* a bottom half has another share; value: numerator << 16 | denominator,
                              numerator 0 while it is off */
    TAKT_EV_FORGET = 18,   /* what waits of a source is dropped, its handler has changed or gone;
                              value: source << 24 */
    TAKT_EV_DUE = 19, /* place sleeps, beside budgets; value: the date that it wants to wake at */
    TAKT_EV_TASK = 20, /* task `place` (0: the most urgent) starts; value: us since its release */
    TAKT_EV_TASK_END = 21, /* it has returned; value: us since its release */
    TAKT_EV_TASK_MISSED = 22, /* it was released again before it started; value: 1 */
    TAKT_EV_CHARGE = 23,   /* place pays for what it made handlers do; value: us */
    TAKT_EV_JOB = 24,      /* place has finished a job; value: us since its release */
    TAKT_EV_OVERRUN = 25,  /* place was not finished at its release; value: enum takt_overrun */
    TAKT_EV_RELEASE = 26,  /* place is released; value: us ago */
    TAKT_EV_PLACED = 27,   /* several CPUs, after the start: place runs on CPU `value` */
    TAKT_EV_ARRIVE = 28,   /* packets came into a pipe, place: its number; value: how many << 20 |
                              us since they were at the device (output: written), most 0xFFFFF */
    TAKT_EV_TAKEN = 29,    /* packets of a pipe have been handled (output: have left the device);
                              value: how many */
    TAKT_EV_OVERFLOW = 30, /* packets of a pipe were lost; value: how many */
    TAKT_EV_BUDGET = 31,   /* place has another budget; value: C, us. More of it comes later */
};

enum takt_block_reason {
    TAKT_BLOCK_SLEEP = 0,
    TAKT_BLOCK_SEM = 1,
    TAKT_BLOCK_EXIT = 2,
    TAKT_BLOCK_EVENT = 3, /* a bottom half waits for events */
    TAKT_BLOCK_RELEASE = 4, /* a periodic thread waits for its next release */
};

/* What becomes of a job that is not finished at the next release, see takt/periodic.h. */
enum takt_overrun {
    TAKT_OVERRUN_LATE = 0, /* it has not had its C: goes on */
    TAKT_OVERRUN_DOOMED = 1,
    TAKT_OVERRUN_SKIPPED = 2,
    TAKT_OVERRUN_CONTINUES = 3,
    TAKT_OVERRUN_NOTIFIED = 4,
    TAKT_OVERRUN_TERMINATED = 5, /* one that was doomed ends now */
};

struct takt_event {
    takt_time_t time;
    uint32_t value;
    uint8_t kind;
    uint8_t place;
    uint16_t cpu; /* that it happened on */
};

#if TAKT_TRACE_EVENTS > 0
/* Adds an event. Either context, interrupts off. */
void takt_trace_locked(takt_time_t now, uint8_t kind, uint8_t place, uint32_t value);
/* Adds a user's mark. Either context. */
void takt_trace_mark(uint32_t value);
#else
static inline void takt_trace_locked(takt_time_t now, uint8_t kind, uint8_t place, uint32_t value)
{
    (void)now, (void)kind, (void)place, (void)value;
}
static inline void takt_trace_mark(uint32_t value)
{
    (void)value;
}
#endif

#ifdef __cplusplus
}
#endif

#endif
