/*
 * Main VCPU: budget C per period T for a thread, enforced by a sporadic server (Qduino II-A;
 * Stanovich et al. 2010). kernel/budget/server.c has the algorithm and its invariants.
 */
#ifndef TAKT_VCPU_H
#define TAKT_VCPU_H

#include <takt/thread.h>

#ifdef __cplusplus
extern "C" {
#endif

struct takt_replenishment {
    takt_time_t at;  /* when the amount becomes (became) usable */
    uint32_t amount; /* us */
};

/* CPU time is counted in parts of a us where the port has a finer counter than its clock, else in
 * us. */
#ifdef PORT_FINE
#define TAKT_PARTS PORT_FINE
#else
#define TAKT_PARTS 1
#endif

/* An instant by the clock, and by that counter. Kernel's. */
struct takt_instant {
    takt_time_t us;
    uint32_t fine; /* parts */
};

enum takt_vcpu_flags {
    TAKT_NO_BACKGROUND = 1, /* exhausted: wait for the next replenishment instead of running on */
    TAKT_IO_VCPU = 2,       /* part of a struct takt_io_vcpu (io.h) */
    TAKT_PERIODIC_VCPU = 4, /* part of a struct takt_periodic (periodic.h) */
    TAKT_PIPE_VCPU = 8,     /* part of a struct takt_pipe (pipe.h) */
};

struct takt_vcpu {
    uint32_t budget; /* C in us, as the user asked; the server holds TAKT_BUDGET_MORE_US more */
    uint32_t period; /* T in us */
    uint8_t flags;
    /* the rest is the kernel's */
    uint8_t count;   /* replenishments held, 1..TAKT_REPLENISHMENTS */
    /* firings of the starvation rule: budget missed its deadline (overload); wraps */
    uint8_t starved;
    uint8_t jitter;  /* use may begin until period >> jitter after the head's date and count as from
                        that (kernel/budget/server.c); 0: not at all */
    struct takt_replenishment list[TAKT_REPLENISHMENTS]; /* ordered by time, list[0] is the head */
    uint32_t open; /* used of the head and not yet posted */
    /* date of budget from which a start is again one that admission counts */
    takt_time_t next_start;
    uint32_t given; /* us of the list that `left` began with (kernel/budget/server.h) */
    uint32_t left;  /* parts of that not yet used; signed */
};

/* The longest period: 2^28 us (4.5 minutes). */
#define TAKT_PERIOD_MAX 0x10000000u

#define TAKT_VCPU_INIT(c_us, t_us, flags_)                                                         \
    {(c_us), (t_us), (flags_), 1, 0, 0, {{0, (c_us) + TAKT_BUDGET_MORE_US}}, 0, 0, 0, 0}

#ifdef __cplusplus
#define TAKT_STATIC_ASSERT_ static_assert
#else
#define TAKT_STATIC_ASSERT_ _Static_assert
#endif

#define TAKT_BUDGET_CHECK_(id, c_us, t_us)                                                         \
    TAKT_STATIC_ASSERT_((t_us) <= TAKT_PERIOD_MAX,                                                 \
                        "thread " #id ": the period T is longer than 268.4 s");                    \
    TAKT_STATIC_ASSERT_((c_us) > 0 && (c_us) <= (t_us), "thread " #id ": not 0 < C <= T")

/*
 * Defines and registers a thread with budget c_us per t_us (integer constant expressions, us,
 * 0 < C <= T <= TAKT_PERIOD_MAX). Other arguments as TAKT_THREAD().
 */
#define TAKT_BUDGET_THREAD(id, c_us, t_us, entry_, arg_, stack_bytes)                              \
    TAKT_BUDGET_CHECK_(id, c_us, t_us);                                                            \
    TAKT_NEEDS_(BUDGETS);                                                                          \
    static char takt_stack_##id[TAKT_STACK_BYTES_(stack_bytes)]                                    \
        __attribute__((aligned(TAKT_STACK_ALIGN_), section(".takt.stacks." #id)));                 \
    static struct takt_vcpu takt_vcpu_##id = TAKT_VCPU_INIT(c_us, t_us, 0);                        \
    TAKT_NAME_(id, #id);                                                                           \
    TAKT_DESCRIPTOR_(id) = {                                                                       \
        entry_, arg_, takt_stack_##id, takt_stack_##id + sizeof takt_stack_##id,                   \
        &takt_vcpu_##id, takt_name_##id};                                                          \
    TAKT_REGISTER_(id, t_us, __LINE__)

/*
 * Gives every VCPU its full budget from now on. For the end of a start-up phase, whose use is not
 * to count. Thread context.
 */
void takt_vcpu_restart_all(void);

/*
 * The caller has used `us` of its budget beside its own time: for handlers that ran for its sake.
 * What is more than the budget has is taken from those of the next periods, so `us` = n C keeps the
 * caller in the background for n T, but never for much longer than 2^30 us (18 minutes): what it
 * owes beyond that is forgotten. Without effect in the background, and for threads without a
 * budget. Thread context.
 */
void takt_vcpu_charge(uint32_t us);

/*
 * Changes the budget of the thread at `place` to c_us per its period, if the exact admission test
 * still holds for all threads. Thread context. TAKT_EADMIT leaves everything as it was;
 * TAKT_EINVAL: no such thread, no VCPU, C = 0 or C > T; TAKT_ENOSPACE: more threads or bottom
 * halves than the test knows (takt/admit.h); TAKT_ECONTEXT: in an interrupt, with interrupts off,
 * or with a mutex held.
 * A decrease takes effect at once, an increase becomes usable after the longest period of all
 * threads (until then it might count on time that another thread, reduced just before, has already
 * used).
 */
int takt_vcpu_set_budget(uint8_t place, uint32_t c_us);

/* CPU time of interrupt handlers since start, us; 0 in programs without budgets. Wraps. Either
 * context. */
uint32_t takt_isr_us(void);

#ifdef __cplusplus
}
#endif

#endif
