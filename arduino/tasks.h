/*
 * task(id, T): a function that runs to completion, every T, by rate: of two that are due the one
 * with the shorter T first, and it interrupts the other.
 *
 *     void task(1, 25) { ... }                         // every 25 ms
 *     int task(2, 200, int state) { return state; }    // -1 at first, then what it has returned
 *     tasksVcpu(2, 10);                                // 2 ms in every 10 for all tasks together
 *
 * All tasks share one thread and its stack (takt/task.h); they do not wait. Within a transaction of
 * SPI, and where Wire.h says so, none starts on top of the one that runs. Without tasksVcpu they
 * run in the time that loops with budgets leave. T is a multiple of TAKT_TICK_US, 1 ms unless
 * defined before <Takt.h>. task is a macro that counts its arguments, as loop is: with any other
 * number than two or three it expands to itself.
 */
#ifndef TAKT_TASKS_H
#define TAKT_TASKS_H

#include <takt/task.h>

#include "loops.h"

#define task(...) TAKT_JOIN_(TAKT_SKETCH_TASK_, TAKT_TASK_ARGUMENTS_(__VA_ARGS__))(__VA_ARGS__)

#define TAKT_SKETCH_TASK_SELF_(...) task(__VA_ARGS__)

/* What follows the `void` the user wrote. */
#define TAKT_SKETCH_TASK_2_(id, t)                                                                 \
    takt_task_of_##id##_body();                                                                    \
    TAKT_SKETCH_TASK_(id, t)                                                                       \
    void takt_task_run_##id()                                                                      \
    {                                                                                              \
        takt_task_of_##id##_body();                                                                \
    }                                                                                              \
    void takt_task_of_##id##_body()

/* What follows the `int`. */
#define TAKT_SKETCH_TASK_3_(id, t, argument)                                                       \
    takt_task_of_##id##_step(argument);                                                            \
    TAKT_SKETCH_TASK_(id, t)                                                                       \
    static int takt_task_state_##id = -1;                                                          \
    void takt_task_run_##id()                                                                      \
    {                                                                                              \
        takt_task_state_##id = takt_task_of_##id##_step(takt_task_state_##id);                     \
    }                                                                                              \
    int takt_task_of_##id##_step(argument)

#define TAKT_SKETCH_TASK_(id, t)                                                                   \
    constexpr int64_t takt_task_period_##id = takt::duration_us(t);                                \
    static_assert(takt_task_period_##id > 0, "task " #id ": the period T must be above 0");        \
    static_assert(takt_task_period_##id % TAKT_TICK_US == 0,                                       \
                  "task " #id ": the period T is no multiple of the tick, TAKT_TICK_US (1 ms)");   \
    static_assert(takt_task_period_##id / TAKT_TICK_US <= TAKT_TASK_PERIOD_MAX,                    \
                  "task " #id ": the period T is too long for this tick");                         \
    __asm__(".globl takt_thread_tasks"); /* tasksVcpu(), or else tasks.cpp */                      \
    TAKT_MARK_THREADS_;                                                                            \
    TAKT_TASK_REGISTER_(id, static_cast<long>(takt_task_period_##id / TAKT_TICK_US), __COUNTER__,  \
                        static_cast<long>(takt_task_period_##id / TAKT_TICK_US), 0)

/* Gives the tasks' thread a budget, which admission then covers. Once, at file scope. */
#define tasksVcpu(c, t)                                                                            \
    static_assert(takt::duration_us(c) > 0, "tasksVcpu: the budget C must be above 0");            \
    static_assert(takt::duration_us(c) <= takt::duration_us(t),                                    \
                  "tasksVcpu: the budget C is longer than the period T");                          \
    static_assert(takt::duration_us(t) <= TAKT_PERIOD_MAX,                                         \
                  "tasksVcpu: the period T is longer than 268.4 s");                               \
    extern "C" char takt_stack_tasks[], takt_stack_tasks_end[];                                    \
    TAKT_MARK_THREADS_;                                                                            \
    TAKT_SKETCH_THREAD_(tasks, "tasks", takt_tasks_thread,                                         \
                        reinterpret_cast<void *>(TAKT_TICK_US), takt::duration_us(c),              \
                        takt::duration_us(t), takt_stack_tasks_end)                                \
    static_assert(true, "")

#define TAKT_TASK_ARGUMENTS_(...)                                                                  \
    TAKT_LOOP_COUNT_(0, ##__VA_ARGS__, SELF_, SELF_, SELF_, SELF_, SELF_, SELF_, SELF_, SELF_,     \
                     SELF_, SELF_, SELF_, SELF_, SELF_, SELF_, SELF_, SELF_, SELF_, SELF_, SELF_,  \
                     SELF_, SELF_, 3_, 2_, SELF_, SELF_)

#endif
