/*
 * loop(id, C, T[, stack]): a loop of its own, with C of CPU time in every T.
 *
 *     void loop(1, 20, 100) { ... }          // id 1; C = 20 ms, T = 100 ms
 *     void loop(fast, 500_us, 5_ms, 512) {}  // a stack of 512 bytes instead of the computed one
 *
 * loop is a macro that counts its arguments. Three or four define and register a thread that runs
 * the body again and again; any other number expands to itself, so that an ordinary loop(), and
 * client.loop(x) of a library, are what they were.
 */
#ifndef TAKT_LOOPS_H
#define TAKT_LOOPS_H

#include <takt/vcpu.h>

#include "Duration.h"

extern "C" {
/* Entry of every loop's thread: setup() first (the most urgent one runs it, the others wait), then
 * the body, given as `void (*)()`, for ever. */
void takt_arduino_thread(void *body);
}

/* Defined by every file with a loop(id, C, T), a job or a task; otherwise the library's
 * plain_loop.cpp defines it, and is linked for it. */
#define TAKT_MARK_THREADS_                                                                         \
    __asm__(".weak takt_sketch_has_threads\n.set takt_sketch_has_threads, 1")

/* By those with a loop(id, C, T): there is no ordinary loop() beside it. */
#define TAKT_MARK_LOOPS_                                                                           \
    TAKT_MARK_THREADS_;                                                                            \
    __asm__(".weak takt_sketch_has_loops\n.set takt_sketch_has_loops, 1")

#define loop(...) TAKT_JOIN_(TAKT_LOOP_, TAKT_LOOP_ARGUMENTS_(__VA_ARGS__))(__VA_ARGS__)

#define TAKT_LOOP_SELF_(...) loop(__VA_ARGS__)

/*
 * The stack of an ordinary loop(), instead of the computed one: for a recursion whose depth the
 * build cannot know. At least 128 bytes; the name is ESP32's. Beside the functions, once:
 *
 *     SET_LOOP_TASK_STACK_SIZE(2 * 1024);
 */
#define SET_LOOP_TASK_STACK_SIZE(bytes)                                                            \
    static_assert((bytes) >= 128, "SET_LOOP_TASK_STACK_SIZE: below 128 bytes");                    \
    extern "C" char takt_stack_loop[TAKT_STACK_BYTES_(bytes)]                                      \
        __attribute__((aligned(TAKT_STACK_ALIGN_), section(".takt.stacks.loop")));                 \
    char takt_stack_loop[TAKT_STACK_BYTES_(bytes)];                                                \
    __attribute__((used)) static void takt_end_of_stack_loop()                                     \
    {                                                                                              \
        __asm__(".globl takt_stack_loop_end\n\t.set takt_stack_loop_end, takt_stack_loop + %c0"    \
                :: "i"(sizeof takt_stack_loop));                                                   \
    }                                                                                              \
    static_assert(true, "")

#define TAKT_LOOP_3_(id, c, t)                                                                     \
    TAKT_LOOP_DEFINE_(id, c, t, extern char TAKT_JOIN_(takt_stack_loop_, id)[];                    \
                      extern char TAKT_JOIN3_(takt_stack_loop_, id, _end)[],                       \
                      TAKT_JOIN3_(takt_stack_loop_, id, _end))

#define TAKT_LOOP_4_(id, c, t, bytes)                                                              \
    TAKT_LOOP_DEFINE_(id, c, t,                                                                    \
                      static_assert((bytes) >= 128, "loop " #id ": stack below 128 bytes");        \
                      static char TAKT_JOIN_(takt_stack_loop_, id)[TAKT_STACK_BYTES_(bytes)]       \
                      __attribute__((aligned(TAKT_STACK_ALIGN_), section(".takt.stacks.loop"))),   \
                      TAKT_JOIN_(takt_stack_loop_, id) + sizeof TAKT_JOIN_(takt_stack_loop_, id))

/* What follows the `void` the user wrote. */
#define TAKT_LOOP_DEFINE_(id, c, t, stack, stack_end)                                              \
    takt_loop_##id##_body();                                                                       \
    constexpr int64_t takt_budget_of_##id = takt::duration_us(c);                                  \
    constexpr int64_t takt_period_of_##id = takt::duration_us(t);                                  \
    static_assert(takt_budget_of_##id > 0, "loop " #id ": the budget C must be above 0");          \
    static_assert(takt_period_of_##id > 0, "loop " #id ": the period T must be above 0");          \
    static_assert(takt_period_of_##id <= 0 || takt_budget_of_##id <= takt_period_of_##id,          \
                  "loop " #id ": the budget C is longer than the period T");                       \
    static_assert(takt_period_of_##id <= TAKT_PERIOD_MAX,                                          \
                  "loop " #id ": the period T is longer than 268.4 s");                            \
    extern "C" {                                                                                   \
    stack;                                                                                         \
    }                                                                                              \
    TAKT_MARK_LOOPS_;                                                                              \
    TAKT_SKETCH_THREAD_(loop_##id, "loop " #id, takt_arduino_thread,                               \
                        reinterpret_cast<void *>(takt_loop_##id##_body), takt_budget_of_##id,      \
                        takt_period_of_##id, stack_end)                                            \
    void takt_loop_##id##_body()

/* A thread with a budget: VCPU, descriptor, registration. Its stack, takt_stack_<id>, exists. */
#define TAKT_SKETCH_THREAD_(id, name, entry, arg, c_us, t_us, stack_end)                           \
    static struct takt_vcpu takt_vcpu_##id =                                                       \
        TAKT_VCPU_INIT(static_cast<uint32_t>(c_us), static_cast<uint32_t>(t_us), 0);               \
    TAKT_SKETCH_THREAD_OF_(id, name, entry, arg, t_us, stack_end, takt_vcpu_##id)

/* The same on a VCPU that exists. */
#define TAKT_SKETCH_THREAD_OF_(id, name, entry, arg, t_us, stack_end, vcpu)                        \
    TAKT_NEEDS_(BUDGETS);                                                                          \
    TAKT_NAME_(id, name);                                                                          \
    TAKT_DESCRIPTOR_(id) = {entry, arg, takt_stack_##id, stack_end, &vcpu, takt_name_##id};        \
    TAKT_REGISTER_(id, static_cast<uint32_t>(t_us), __COUNTER__)

#define TAKT_JOIN_(a, b)      TAKT_JOIN2_(a, b)
#define TAKT_JOIN2_(a, b)     a##b
#define TAKT_JOIN3_(a, b, c)  TAKT_JOIN3B_(a, b, c)
#define TAKT_JOIN3B_(a, b, c) a##b##c
#define TAKT_LOOP_ARGUMENTS_(...)                                                                  \
    TAKT_LOOP_COUNT_(0, ##__VA_ARGS__, SELF_, SELF_, SELF_, SELF_, SELF_, SELF_, SELF_, SELF_,     \
                     SELF_, SELF_, SELF_, SELF_, SELF_, SELF_, SELF_, SELF_, SELF_, SELF_, SELF_,  \
                     SELF_, 4_, 3_, SELF_, SELF_, SELF_)
#define TAKT_LOOP_COUNT_(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15,     \
                         a16, a17, a18, a19, a20, a21, a22, a23, a24, n, ...)                      \
    n

#endif
