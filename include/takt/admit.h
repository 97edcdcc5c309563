/*
 * Admission: does every budgeted thread get its budget C within every period T? One source for the
 * build (on the host), for boot and for run-time changes. Integers only, nothing allocated.
 *
 * Three tests, from cheap and pessimistic to exact:
 *   Eq. 1        Liu-Layland with I/O VCPUs (Qduino, Equation 1)
 *   hyperbolic   Bini-Buttazzo, the I/O demand added to the smallest utilisation
 *   exact        response-time analysis with blocking, jitter, overheads, interrupts and I/O demand
 * Only the exact test decides; the other two are told for comparison, and speak of C and T alone.
 * For interrupts with budgets, bounds of the time from the interrupt to its handler.
 */
#ifndef TAKT_ADMIT_H
#define TAKT_ADMIT_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAKT_ADMIT_THREADS 64
#define TAKT_ADMIT_IO      16
#define TAKT_ADMIT_NEVER   UINT32_MAX /* a response time that does not end (within 2^31 us) */

/* Most of what is stated below; of blocking, jitter, separation and margin TAKT_DURATION_MAX. Sums
 * of 64 bits do not wrap then. */
#define TAKT_ADMIT_FRAGMENTS 65535u
#define TAKT_ADMIT_COST_NS   1000000000u

/* A Main VCPU. */
struct takt_admit_thread {
    uint32_t budget_us;   /* C, 1..T */
    uint32_t period_us;   /* T, 1..TAKT_PERIOD_MAX; also the deadline */
    uint32_t blocking_us; /* longest section of less urgent threads that can hold it up */
    uint32_t jitter_us;   /* of its releases, to less urgent threads: struct takt_vcpu */
    uint32_t fragments;   /* times per period it may start to run anew, by waking or by being
                             replenished; each costs two switches and two alarms; at most
                             TAKT_ADMIT_FRAGMENTS */
};

/* An interrupt source and its handler. */
struct takt_admit_irq {
    uint32_t cost_ns;       /* any */
    uint32_t separation_us; /* least time between two interrupts, 1.. */
    uint32_t jitter_us;
};

/* An I/O VCPU of utilisation U = numerator / denominator. */
struct takt_admit_io {
    uint32_t numerator;   /* 0..denominator; 0 never runs */
    uint32_t denominator; /* 1..65535 */
    uint32_t period_us;   /* fixed period, or 0: inherited from whichever thread it serves */
    uint32_t overhead_us; /* charged to it once per budget, on top of U T: top halves, switches,
                             alarms, late ends */
};

/* What the kernel itself costs on a board. */
struct takt_admit_costs {
    uint32_t switch_ns; /* a switch, decision included; at most TAKT_ADMIT_COST_NS */
    uint32_t alarm_ns;  /* an alarm interrupt; the same */
    uint32_t margin_us; /* added by the kernel to every budget: TAKT_BUDGET_MARGIN_US */
};

struct takt_admit_set {
    const struct takt_admit_thread *threads; /* by place: the most urgent first */
    const struct takt_admit_irq *irqs; /* on AVR in flash (takt/flash.h) */
    const struct takt_admit_io *ios;
    uint32_t thread_count;
    uint32_t irq_count;
    uint32_t io_count;
    struct takt_admit_costs costs;
    const struct takt_admit_irq *more_irqs; /* those of the program, beside the board's; as these */
    uint32_t more_irq_count;
};

/* The least period that there can be, where releases follow a reference clock: 1 % faster. */
uint32_t takt_admit_shortest_us(uint32_t period_us);

/* Threads without a budget run when no other is ready, but each may be woken by an alarm once while
 * a thread with a budget runs, which that takes so long from. */
uint32_t takt_admit_wakes_us(const struct takt_admit_costs *costs, uint32_t threads);

/* A sufficient test: holds if lhs <= bound, decided on exact fractions; the figures are rounded up
 * (lhs) and down (bound). */
struct takt_admit_bound {
    uint32_t lhs_ppm;
    uint32_t bound_ppm;
    bool holds;
};

/*
 * Can the set be analysed at all? TAKT_OK; TAKT_EINVAL: no thread, or a value out of the range
 * stated above; TAKT_ENOSPACE: more threads or I/O VCPUs than can be handled.
 */
int takt_admit_validate(const struct takt_admit_set *set);

/*
 * The exact test. TAKT_OK when every thread responds within its period, TAKT_EADMIT when one does
 * not, otherwise as takt_admit_validate(). Stops at the first thread that fails, whose place goes
 * to *refused unless that is NULL. Terminates: see takt_admit_response().
 */
int takt_admit_exact(const struct takt_admit_set *set, uint32_t *refused);

/*
 * Longest time from the thread's budget being usable until C has been delivered, in us rounded up,
 * when more urgent threads ask for all of theirs; TAKT_ADMIT_NEVER when that is more than limit_us
 * (<= 2^31) or more than 2^16 rounds are needed to tell. Beyond the period the figure is that of
 * the first budget only. The set must be valid. Bound: rounds x (threads + irqs + ios).
 */
uint32_t takt_admit_response(const struct takt_admit_set *set, uint32_t place, uint32_t limit_us);

/*
 * Longest time for an I/O VCPU with budget to do work_us, on behalf of the thread at `place` and
 * just before it: blocking, more urgent threads, alarms, interrupts, the other I/O VCPUs.
 * TAKT_ADMIT_NEVER when beyond 2^31. The set must be valid. Bound as takt_admit_response().
 */
uint32_t takt_admit_io_response(const struct takt_admit_set *set, uint32_t io, uint32_t place,
                                uint32_t work_us);

/* Eq. 1; lhs = sum of C/T and (2 - U) U. Does not hold when shorter periods come later. The set
 * must be valid. A sum within 2^-128 below an irrational bound counts as above it. */
struct takt_admit_bound takt_admit_eq1(const struct takt_admit_set *set);

/* Hyperbolic; lhs = product of 1 + C/T, bound 2. Otherwise as takt_admit_eq1(), without its
 * exception. */
struct takt_admit_bound takt_admit_hyperbolic(const struct takt_admit_set *set);

/* The way of an interrupt to the thread that handles it. */
struct takt_admit_path {
    uint32_t place;       /* of the handler's thread */
    uint32_t io;          /* I/O VCPU of its bottom half; period_us is 0 */
    uint32_t shortest_us; /* least and longest period of all threads that I/O VCPU serves */
    uint32_t longest_us;
    uint32_t top_us;         /* top half */
    const uint32_t *work_us; /* CPU time of the bottom half until it has passed the event on, in  */
    uint32_t work_count;     /* 1.. pieces: what comes before in the same batch is part of them */
    const uint32_t *wait_us; /* work_count - 1 waits for a device, between the pieces */
};

/*
 * Longest time in us from the top half being entered until the handler's thread takes the event;
 * TAKT_ADMIT_NEVER: there is none, or it is beyond 2^31. admission/admit_delivery.c derives it and
 * says what it takes for granted. The set must be valid and admitted. Bound: some times that of
 * takt_admit_response().
 */
uint32_t takt_admit_delivery(const struct takt_admit_set *set, const struct takt_admit_path *path);

/*
 * The paper's bound for it (Qduino, Equation 3), which knows neither other threads nor overheads;
 * waits for devices, of which it has none, are added. Too short by one C_io where the bottom half's
 * time is a multiple of C_io, unless corrected.
 */
uint32_t takt_admit_delivery_paper(const struct takt_admit_set *set,
                                   const struct takt_admit_path *path, bool corrected);

#ifdef __cplusplus
}
#endif

#endif
