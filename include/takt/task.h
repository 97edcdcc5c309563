/*
 * Tasks: functions that run to completion, by priority, on one stack (RIOS: Miller, Vahid,
 * Givargis, "RIOS: a lightweight task scheduler for embedded systems", WESE 2012).
 *
 *     #define TAKT_TICK_US 25000
 *     #include <takt/task.h>
 *
 *     TAKT_TASK(blink, 1, 50000) { ... }       // every 50 ms; of two due, priority 1 first
 *     TAKT_TASK(sample, 0, 25000) { ... }      // and this one interrupts blink
 *
 *     int main(void) { takt_tasks_run(); }     // alone, on AVR: no thread is linked
 *
 * or, beside threads, TAKT_TASKS(...) instead, and takt_start().
 *
 * A task is released at the start (alone, on AVR: at the first tick that is looked at, see
 * port_task.h) and then every period, whatever happened meanwhile: the phase is kept. A released
 * task starts when no more urgent task is released or runs. It never interrupts itself: released
 * while it runs, it starts again at once when it has returned. Released again before it has started
 * it has missed a release, which takt_task_missed() counts. So at any time
 *
 *     releases = times started + missed + (1 if it waits to be started)
 *
 * A task returns, and does not wait meanwhile. One that never returns keeps less urgent ones, and
 * itself, from running: their releases are counted as missed. More urgent ones go on. Beside
 * threads all tasks are one thread: while one of them waits (sleeps, waits for a semaphore or a
 * mutex, for room to send in), or holds a mutex, none runs, the more urgent ones neither.
 */
#ifndef TAKT_TASK_H
#define TAKT_TASK_H

#include <takt/port_task_section.h>
#include <takt/types.h>
#include <takt/vcpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The clock of all tasks, us; periods are multiples of it. Defined before this header is included,
 * and to the same value in all files of a program (else the linker says "multiple definition of
 * takt_task_tick"). */
#ifndef TAKT_TICK_US
#define TAKT_TICK_US 1000
#endif

#if TAKT_TASK_BITS == 8
typedef int8_t takt_task_span_t;
typedef uint8_t takt_task_count_t;
#elif TAKT_TASK_BITS == 16
typedef int16_t takt_task_span_t;
typedef uint16_t takt_task_count_t;
#else
typedef int32_t takt_task_span_t;
typedef uint32_t takt_task_count_t;
#endif

/* A program may choose another width than its port has, where tasks run alone: functions that know
 * records are there once for each. */
#ifndef TAKT_TASK_NAME_
#define TAKT_TASK_NAME_(name)
#endif
#if !defined(TAKT_TASKS_ALONE_) && defined(TAKT_TASKS_COMPOSED)
#define TAKT_TASKS_ALONE_ 1
#elif !defined(TAKT_TASKS_ALONE_)
#define TAKT_TASKS_ALONE_ 0
#endif

/* The longest period, in ticks: on AVR 16383, 127 where a program that has just tasks defines
 * TAKT_TASK_BITS as 8 before it includes this header, in all its files. */
#define TAKT_TASK_PERIOD_MAX ((1l << (TAKT_TASK_BITS == 8 ? 7 : TAKT_TASK_BITS - 2)) - 1)

struct takt_task {
    void (*run)(void);
    takt_task_span_t period;  /* ticks, above 0 */
    takt_task_span_t left; /* ticks until it is released, less one; below 0: waits to be started */
    takt_task_count_t missed; /* releases that came while the one before waited to be started */
};

/*
 * TAKT_TASK(id, priority, period_us) { ... } defines and registers a task. id: identifier.
 * priority: integer constant, 0..2^30, smaller is more urgent; of equal ones the one defined first,
 * by line and then by order of linking. period_us: integer constant, a multiple of TAKT_TICK_US
 * above 0, TAKT_TASK_PERIOD_MAX ticks at most; anything else is an error when it is compiled. The
 * linker refuses more than 255 tasks, which is how many levels there are.
 */
#define TAKT_TASK(id, priority, period_us)                                                         \
    TAKT_TASK_CHECK_(id, period_us)                                                                \
    TAKT_TASK_REGISTER_(id, priority, __LINE__, (period_us) / TAKT_TICK_US, 0)                     \
    void takt_task_run_##id(void)

/*
 * TAKT_STATE_TASK(id, priority, period_us) { ...; return state; } has an argument, int state: -1
 * the first time, then what it returned last.
 */
#define TAKT_STATE_TASK(id, priority, period_us)                                                   \
    static int takt_task_step_##id(int state);                                                     \
    static int takt_task_state_##id = -1;                                                          \
    TAKT_TASK(id, priority, period_us)                                                             \
    {                                                                                              \
        takt_task_state_##id = takt_task_step_##id(takt_task_state_##id);                          \
    }                                                                                              \
    static int takt_task_step_##id(int state)

/*
 * TAKT_EVENT_TASK(id, priority) { ... } has no period: it is released by takt_task_trigger() and
 * takt_task_trigger_isr(), and runs once for each. takt_task_missed() of it says nothing.
 */
#define TAKT_EVENT_TASK(id, priority)                                                              \
    static void takt_task_body_##id(void);                                                         \
    TAKT_TASK_REGISTER_(id, priority, __LINE__, TAKT_TASK_PERIOD_MAX, TAKT_TASK_PERIOD_MAX)        \
    struct takt_task_event takt_task_event_##id = {&takt_task_##id, 0};                            \
    void takt_task_run_##id(void)                                                                  \
    {                                                                                              \
        while (takt_task_take_(&takt_task_event_##id))                                             \
            takt_task_body_##id();                                                                 \
    }                                                                                              \
    static void takt_task_body_##id(void)

/*
 * Beside threads: defines the one that runs all tasks, takt_thread_tasks, and registers it;
 * arguments as of TAKT_THREAD() and TAKT_BUDGET_THREAD(). Without a budget, beside threads that
 * have some, tasks run in the time these leave. IN_TURN: no task interrupts another.
 */
#define TAKT_TASKS(priority, stack_bytes)                                                          \
    TAKT_TASKS_BESIDE_                                                                             \
    TAKT_THREAD(tasks, priority, takt_tasks_thread, (void *)TAKT_TICK_US, stack_bytes)
#define TAKT_TASKS_IN_TURN(priority, stack_bytes)                                                  \
    TAKT_TASKS_BESIDE_                                                                             \
    TAKT_THREAD(tasks, priority, takt_tasks_in_turn, (void *)TAKT_TICK_US, stack_bytes)
#define TAKT_TASKS_VCPU(c_us, t_us, stack_bytes)                                                   \
    TAKT_TASKS_BESIDE_                                                                             \
    TAKT_BUDGET_THREAD(tasks, c_us, t_us, takt_tasks_thread, (void *)TAKT_TICK_US, stack_bytes)

/* The thread's entries. The argument is the tick. */
void takt_tasks_thread(void *tick);
void takt_tasks_in_turn(void *tick);

/* What triggers an event task: &takt_task_event_<id>. */
struct takt_task_event {
    struct takt_task *task;
    uint8_t waiting; /* triggers that its task has not taken */
};

/*
 * Releases an event task; if it is more urgent than what runs it has run when this returns. From a
 * task, or from main; beside threads: from any thread. O(tasks). TAKT_EOVERFLOW: 255 triggers wait
 * already, nothing has changed.
 */
int takt_task_trigger(struct takt_task_event *event) TAKT_TASK_NAME_(takt_task_trigger);

/*
 * The same from an interrupt handler, as the last thing it does. Alone, more urgent tasks run
 * before this returns, with interrupts on: the handler may be entered anew meanwhile.
 */
int takt_task_trigger_isr(struct takt_task_event *event) TAKT_TASK_NAME_(takt_task_trigger_isr);

/* Releases of a task that were missed (see above), modulo 2^32, or 2^TAKT_TASK_BITS. Any context.
 */
takt_task_count_t takt_task_missed(const struct takt_task *task) TAKT_TASK_NAME_(takt_task_missed);

/* One trigger is taken, if there is one. For TAKT_EVENT_TASK(). */
bool takt_task_take_(struct takt_task_event *event) TAKT_TASK_NAME_(takt_task_take_);

/*
 * How a record reaches the linker: into section .takt.task.<priority>.<tie>, which the link script
 * sorts by name: both have as many digits in every program. A record is all there is of a task in
 * RAM.
 */
#define TAKT_TASK_REGISTER_(id, priority, tie, period_, left_)                                     \
    TAKT_STATIC_ASSERT_((priority) >= 0 && (priority) <= 0x40000000,                               \
                      "task " #id ": the priority must be 0 to 2^30");                             \
    TAKT_TASK_EXTERN_ void takt_task_run_##id(void) __attribute__((used));                         \
    TAKT_TASK_EXTERN_ struct takt_task takt_task_##id;                                             \
    __attribute__((used)) static void takt_task_register_##id(void)                                \
    {                                                                                              \
        __asm__ volatile(TAKT_TASK_ASM_(#id)::"i"(1000000000 + (priority)), "i"(1000000 + (tie)),  \
                         "i"(left_), "i"(period_), "i"(TAKT_TICK_US),                              \
                         "i"(sizeof(struct takt_task)));                                           \
    }

#ifdef __cplusplus
#define TAKT_TASK_EXTERN_ extern "C"
#else
#define TAKT_TASK_EXTERN_ extern
#endif

#define TAKT_TASKS_BESIDE_                                                                         \
    TAKT_STATIC_ASSERT_(!TAKT_TASKS_ALONE_, "tasks beside threads: leave out the definition of "   \
                                          "TAKT_TASK_BITS or TAKT_TASKS_COMPOSED");

#define TAKT_TASK_CHECK_(id, period_us)                                                            \
    TAKT_STATIC_ASSERT_((period_us) > 0, "task " #id ": the period must be above 0");              \
    TAKT_STATIC_ASSERT_((period_us) % TAKT_TICK_US == 0,                                           \
                      "task " #id ": the period is not a multiple of the tick, TAKT_TICK_US");     \
    TAKT_STATIC_ASSERT_((period_us) / TAKT_TICK_US <= TAKT_TASK_PERIOD_MAX,                        \
                      "task " #id ": the period is too long for this tick");

#ifdef __cplusplus
}
#endif

#if defined(__has_include)
#if __has_include(<port_task.h>)
#include <port_task.h>
#endif
#endif

#endif
