/*
 * Periodic jobs (AnT: Furukawa, Yamauchi and Taniguchi): a thread with a Main VCPU whose function
 * is called once in every period T, as a job that may take C.
 *
 *     release                     release                     release
 *        |-- job --|  (waits)        |-- job --|                 |
 *        |<----------- T ----------->|
 *
 * Releases come from the kernel's alarm, tickless; the entry that releases a thread stays armed,
 * and waiting for the next release only takes the thread out of the ready set (section 3.1). First
 * releases are placed so that as few jobs as possible begin at the same instant (3.4, effect 4).
 *
 * A job that is not finished at its next release has overrun if it has had its C; what happens then
 * is its policy. If it has not, other threads are to blame, or what it waits for: it goes on and is
 * counted as late.
 *
 * kernel/job/periodic.c has the rules, kernel/job/releases.c the structure; docs/guarantees.md the
 * promises.
 */
#ifndef TAKT_PERIODIC_H
#define TAKT_PERIODIC_H

#include <takt/sem.h>
#include <takt/vcpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Periods are multiples of this, us; so are the distances of releases from each other. */
#ifndef TAKT_PERIODIC_TICK_US
#define TAKT_PERIODIC_TICK_US 100
#endif

/* Of a job that has had its C and is not finished when the next release comes: */
enum takt_overrun_policy {
    TAKT_TERMINATE = 0, /* it ends there, and the next job begins */
    TAKT_SKIP = 1,      /* it goes on; the releases it misses have no job */
    TAKT_CONTINUE = 2,  /* it goes on; the jobs it holds up follow without waiting */
    TAKT_NOTIFY = 3,    /* as TAKT_SKIP, and the semaphore takt_periodic.notify is signalled */
};

/* When something is released next; for placing further ones beside it. Kernel's. */
struct takt_beat {
    uint32_t period;
    takt_time_t due;
    struct takt_beat *next;
    uint32_t common, apart; /* scratch */
};

/* Threads that are released together: one instant within a period. Kernel's. */
struct takt_slot {
    takt_set_t threads;
    uint32_t gap; /* us to the next slot */
    struct takt_slot *next;
};

/* All that have the same period: their slots in a circle. Kernel's. */
struct takt_release_ring {
    takt_time_t at;         /* when `slot` is due */
    uint32_t period;
    struct takt_slot *slot;
    struct takt_release_ring *next; /* due later or at the same time */
};

struct takt_periodic {
    struct takt_vcpu server; /* C and T */
    struct takt_sem *notify; /* TAKT_NOTIFY, or NULL */
    uint8_t policy;          /* enum takt_overrun_policy */
    /* the rest is the kernel's; the counts may be read */
    uint8_t holds;           /* takt_job_hold() */
    bool under_way;          /* there is a job */
    uint16_t pending;        /* releases whose jobs are still to begin */
    uint16_t late;           /* jobs found unfinished that had not had their C */
    uint16_t overruns;       /* jobs found unfinished that had */
    uint16_t terminated;     /* of those */
    uint16_t skipped;        /* releases without a job */
    uint32_t releases;
    uint32_t response_max;   /* longest from a release to the end of its job, us */
    uint32_t used;           /* us of CPU on budget, ever; without server.open */
    uint32_t before;         /* that, when the job began */
    takt_time_t released;    /* release of the job under way */
    struct takt_beat beat;
    struct takt_slot slot;
    struct takt_release_ring ring;
    void *context[5];        /* where the thread goes on when its job is terminated */
};

#define TAKT_PERIODIC_INIT(c_us, t_us, policy_) TAKT_PERIODIC_INIT_(c_us, t_us, 0, policy_)
#define TAKT_PERIODIC_INIT_(c_us, t_us, notify_, policy_)                                          \
    {TAKT_VCPU_INIT(c_us, t_us, TAKT_PERIODIC_VCPU), (notify_), (policy_), 0, 0, 0, 0, 0, 0, 0, 0, \
     0, 0, 0, 0, {(t_us), 0, 0, 0, 0}, {0, 0, 0}, {0, 0, 0, 0}, {0}}

/* Entry of every periodic thread; its argument is the job, a void (*)(void). */
void takt_periodic_thread(void *job);

/* Where an API defines it: called by every periodic thread first. */
void takt_before_jobs(void);

/*
 * Finds all offsets, O(threads^2 x (threads + 64)). The first periodic thread that runs does
 * that; an API that knows of an instant when it holds no job up calls it then, in a thread, before
 * any has run.
 */
void takt_place_jobs(void);

/*
 * Defines and registers a thread `id` that calls job(), a void (void), every t_us for up to c_us of
 * CPU (integer constant expressions, 0 < C <= T <= TAKT_PERIOD_MAX, T a multiple of
 * TAKT_PERIODIC_TICK_US). Placed rate monotonically as TAKT_BUDGET_THREAD(). takt_periodic_of_<id>
 * is its record, by which takt_periodic_register() knows it.
 */
#define TAKT_PERIODIC(id, c_us, t_us, policy, job, stack_bytes)                                    \
    _Static_assert((c_us) > 0 && (c_us) <= (t_us) && (t_us) <= TAKT_PERIOD_MAX,                    \
                   "periodic " #id ": not 0 < C <= T <= TAKT_PERIOD_MAX");                         \
    _Static_assert((t_us) % TAKT_PERIODIC_TICK_US == 0, "periodic " #id ": T is no multiple of "   \
                                                        "TAKT_PERIODIC_TICK_US");                  \
    TAKT_NEEDS_(BUDGETS);                                                                          \
    static char takt_stack_##id[TAKT_STACK_BYTES_(stack_bytes)]                                    \
        __attribute__((aligned(TAKT_STACK_ALIGN_), section(".takt.stacks." #id)));                 \
    struct takt_periodic takt_periodic_of_##id = TAKT_PERIODIC_INIT(c_us, t_us, policy);           \
    TAKT_NAME_(id, #id);                                                                           \
    TAKT_DESCRIPTOR_(id) = {                                                                       \
        takt_periodic_thread, (void *)(job), takt_stack_##id,                                      \
        takt_stack_##id + sizeof takt_stack_##id, &takt_periodic_of_##id.server, takt_name_##id};  \
    TAKT_REGISTER_(id, t_us, __LINE__)

/*
 * Periodic threads are registered from the start. Their first releases come when all of them have
 * run as far as to wait for it, each placed where fewest coincide with it.
 *
 * No more releases for the thread whose record this is, &takt_periodic_of_<id>; a job may name its
 * own. A job under way goes on to its end. Its budget stays admitted and its entry armed: it costs
 * the alarm that it would cost. Thread context, or setup(). O(threads), interrupts off for O(1).
 * TAKT_EINVAL: the record of no thread, or of one that is not registered; TAKT_ECONTEXT in an
 * interrupt or holding a mutex.
 */
int takt_periodic_unregister(struct takt_periodic *periodic);

/* Releases it again, at the instants at which it would have been all the time. As above;
 * TAKT_EINVAL also when C = 0, C > T, T = 0, T is too long or no multiple of the resolution. */
int takt_periodic_register(struct takt_periodic *periodic);

/*
 * The reference clock (of a network, a pulse per second, a better crystal) reads `us` now; it wraps
 * as takt_now() does. From the second call on, releases follow it: their periods are true to the
 * reference, however wrong the board's timer is, up to 1 %. To be called every now and then, 1 ms
 * to 17 minutes apart: what the timer's rate changes between two calls is corrected at the second.
 * Thread context. TAKT_EINVAL when calls are closer, or when the two clocks differ by more than 1 %
 * since the last call, which is then forgotten, as a call longer ago is; TAKT_ECONTEXT as above.
 */
int takt_periodic_reference(uint32_t us);

/*
 * Until the same number of takt_job_release(), the calling job is not terminated: it is in a call,
 * or has taken something, that must not be torn. Termination then follows at once. Without effect
 * in other threads. Holding a mutex has the same effect. Nestable up to 255; what has not been
 * released ends with the job, and a release without a hold does nothing. Thread context.
 */
void takt_job_hold(void);
void takt_job_release(void);

#ifdef __cplusplus
}
#endif

#endif
