/*
 * Tasks alone (takt/task.h): Timer1 is their clock, at an eighth of the CPU's, and main's stack their
 * stack. Nothing else of the kernel is linked; pins 9 and 10 of the uno are not for PWM here, either.
 */
#ifndef TAKT_PORT_TASK_H
#define TAKT_PORT_TASK_H

#include <takt/task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Counts of the timer in a tick. */
#define PORT_TASK_COUNTS (F_CPU / 1000000ull * TAKT_TICK_US / 8)

/* For those below: the last count of a tick. */
void port_tasks_run(uint16_t top) __attribute__((noreturn));
void port_tasks_run_sparse(uint16_t top) __attribute__((noreturn));
void port_tasks_run_in_turn(uint16_t top) __attribute__((noreturn));

#define PORT_TASKS_RUN_(run)                                                                       \
    do {                                                                                           \
        TAKT_TASK_ASSERT_(PORT_TASK_COUNTS >= 1 && PORT_TASK_COUNTS <= 65536,                      \
                          "TAKT_TICK_US is too long for the timer: 65536 counts of 8 cycles");     \
        TAKT_TASK_ASSERT_(PORT_TASK_COUNTS * 8 * 1000000 == F_CPU * 1ull * TAKT_TICK_US,           \
                          "TAKT_TICK_US is not a whole number of 8 cycles");                       \
        run((uint16_t)(PORT_TASK_COUNTS - 1));                                                     \
    } while (0)

/*
 * Runs all tasks, for ever: the timer interrupts once a tick, and what is released then interrupts
 * less urgent tasks. In between the CPU sleeps. From main, which may have set up pins and the like;
 * interrupts on or off. Tasks must not keep interrupts off for a whole tick: ticks would be lost.
 */
static inline __attribute__((always_inline, noreturn)) void takt_tasks_run(void)
{
    PORT_TASKS_RUN_(port_tasks_run);
    __builtin_unreachable();
}

/* The same, but the timer interrupts no more often than it must for these periods: their greatest
 * common divisor, or a part of it if the timer cannot count as far. */
static inline __attribute__((always_inline, noreturn)) void takt_tasks_run_sparse(void)
{
    PORT_TASKS_RUN_(port_tasks_run_sparse);
    __builtin_unreachable();
}

/* The same as takt_tasks_run(), but no task interrupts another: the most urgent one that waits starts
 * when the one that runs has returned. 255 ticks may go by meanwhile: more are lost. */
static inline __attribute__((always_inline, noreturn)) void takt_tasks_run_in_turn(void)
{
    PORT_TASKS_RUN_(port_tasks_run_in_turn);
    __builtin_unreachable();
}

#ifdef __cplusplus
}
#endif

#endif
