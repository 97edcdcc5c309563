/*
 * periodic(id, C, T[, policy]): a job, called once in every T, that may take C of CPU time.
 *
 *     void periodic(3, 2_ms, 10_ms) { pid(); }              // ended if it is not finished in time
 *     void periodic(log, 1_ms, 50_ms, SKIP) { ... }         // goes on, and misses releases
 *     void periodic(cam, 5_ms, 20_ms, NOTIFY(alarm)) { }    // as SKIP, and signals a Semaphore
 *
 * What becomes of a job that has had its C and is not finished at its next release: TERMINATE
 * (unless told), SKIP, CONTINUE or NOTIFY; see takt/periodic.h. Its objects are not destroyed when
 * it is terminated.
 *
 *     unregisterPeriodic(log);  // no more releases for it; a job under way goes on to its end
 *     registerPeriodic(log);    // again, at the instants at which it would have been all the time
 *
 * These two give TAKT_OK; TAKT_EINVAL when it is so already; TAKT_ECONTEXT in interrupts and with a
 * Mutex locked. In setup(), loops and jobs, of itself as well; O(threads). The job may be defined
 * further down or in another file. Its share stays its own. They are macros, since id is a name.
 *
 * periodic is a macro that counts its arguments, as loop is: with any other number than
 * three or four it expands to itself.
 */
#ifndef TAKT_PERIODICS_H
#define TAKT_PERIODICS_H

#include <takt/periodic.h>

#include "Locks.h"
#include "loops.h"

namespace takt
{

/* The policies, which a header of periodic() names without takt::. */
namespace overrun
{

struct Policy {
    uint8_t policy;
    struct takt_sem *notify;
};

struct Notify : Policy {
    constexpr Notify() : Policy{TAKT_NOTIFY, nullptr} {}
    constexpr Policy operator()(Semaphore &semaphore) const
    {
        return Policy{TAKT_NOTIFY, semaphore.raw()};
    }
};

constexpr Policy TERMINATE{TAKT_TERMINATE, nullptr};
constexpr Policy SKIP{TAKT_SKIP, nullptr};
constexpr Policy CONTINUE{TAKT_CONTINUE, nullptr};
constexpr Notify NOTIFY{};

} // namespace overrun

/* Inside, the calling job is not terminated: for what must not be torn, to the end of the scope. */
class Whole
{
  public:
    Whole() { takt_job_hold(); }
    ~Whole() { takt_job_release(); }
    Whole(const Whole &) = delete;
    Whole &operator=(const Whole &) = delete;
};

} // namespace takt

#define periodic(...) TAKT_JOIN_(TAKT_PERIODIC_, TAKT_LOOP_ARGUMENTS_(__VA_ARGS__))(__VA_ARGS__)

#define TAKT_PERIODIC_SELF_(...) periodic(__VA_ARGS__)
#define TAKT_PERIODIC_3_(id, c, t) TAKT_PERIODIC_4_(id, c, t, TERMINATE)

/* What follows the `void` the user wrote. */
#define TAKT_PERIODIC_4_(id, c, t, policy_)                                                        \
    takt_periodic_of_##id##_job();                                                                 \
    constexpr int64_t takt_job_budget_##id = takt::duration_us(c);                                 \
    constexpr int64_t takt_job_period_##id = takt::duration_us(t);                                 \
    static_assert(takt_job_budget_##id > 0, "periodic " #id ": the budget C must be above 0");     \
    static_assert(takt_job_period_##id > 0, "periodic " #id ": the period T must be above 0");     \
    static_assert(takt_job_period_##id <= 0 || takt_job_budget_##id <= takt_job_period_##id,       \
                  "periodic " #id ": the budget C is longer than the period T");                   \
    static_assert(takt_job_period_##id <= TAKT_PERIOD_MAX,                                         \
                  "periodic " #id ": the period T is longer than 268.4 s");                        \
    static_assert(takt_job_period_##id % TAKT_PERIODIC_TICK_US == 0,                               \
                  "periodic " #id ": the period T is no multiple of 0.1 ms");                      \
    extern "C" {                                                                                   \
    extern char takt_stack_periodic_##id[];                                                        \
    extern char takt_stack_periodic_##id##_end[];                                                  \
    }                                                                                              \
    extern struct takt_periodic takt_periodic_of_##id;                                             \
    namespace takt                                                                                 \
    {                                                                                              \
    namespace overrun                                                                              \
    {                                                                                              \
    constexpr Policy policy_of_##id = policy_;                                                     \
    }                                                                                              \
    }                                                                                              \
    struct takt_periodic takt_periodic_of_##id =                                                   \
        TAKT_PERIODIC_INIT_(static_cast<uint32_t>(takt_job_budget_##id),                           \
                            static_cast<uint32_t>(takt_job_period_##id),                           \
                            takt::overrun::policy_of_##id.notify,                                  \
                            takt::overrun::policy_of_##id.policy);                                 \
    TAKT_MARK_THREADS_;                                                                            \
    TAKT_SKETCH_THREAD_OF_(periodic_##id, "periodic " #id, takt_periodic_thread,                   \
                           reinterpret_cast<void *>(takt_periodic_of_##id##_job),                  \
                           takt_job_period_##id, takt_stack_periodic_##id##_end,                   \
                           takt_periodic_of_##id.server)                                           \
    void takt_periodic_of_##id##_job()

#define registerPeriodic(id) TAKT_WITH_PERIODIC_(takt_periodic_register, takt_periodic_of_, id)
#define unregisterPeriodic(id) TAKT_WITH_PERIODIC_(takt_periodic_unregister, takt_periodic_of_, id)

/* The name is declared where it is used: what it names may come later. */
#define TAKT_WITH_PERIODIC_(function, prefix, id)                                                  \
    ([] {                                                                                          \
        extern struct takt_periodic TAKT_JOIN_(prefix, id);                                        \
        return function(&TAKT_JOIN_(prefix, id));                                                  \
    }())

#endif
