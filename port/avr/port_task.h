/*
 * Tasks alone (takt/task.h): Timer1 is their clock, and main's stack their stack. Nothing else of
 * the kernel is linked; pins 9 and 10 of the uno are not for PWM here, either. GPIOR0 and GPIOR2
 * are the port's.
 *
 * The first release of every task is at the first tick that can be one, from the start on: after
 * one tick with takt_tasks_run() and takt_tasks_run_in_turn(), after the greatest common divisor of
 * the periods (or that part of it) with takt_tasks_run_sparse() and takt_tasks_run_every(). A
 * program that changes from one to the other starts its tasks that much later or earlier, all by
 * the same.
 */
#ifndef TAKT_PORT_TASK_H
#define TAKT_PORT_TASK_H

#include <takt/task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a tick is divided into: by 8, 64, 256 or 1024 cycles, the first of them by which the timer
 * can count it; and that as the timer wants it (CS12:0, and below WGM12 for a count that begins
 * anew). */
#define PORT_TASK_CYCLES      (F_CPU / 1000000ull * TAKT_TICK_US)
#define PORT_TASK_FITS_(d)    (PORT_TASK_CYCLES % (d) == 0 && PORT_TASK_CYCLES / (d) <= 65536)
#define PORT_TASK_PICK_(a, b, c, d, none)                                                          \
    (PORT_TASK_FITS_(8)      ? (a)                                                                 \
     : PORT_TASK_FITS_(64)   ? (b)                                                                 \
     : PORT_TASK_FITS_(256)  ? (c)                                                                 \
     : PORT_TASK_FITS_(1024) ? (d)                                                                 \
                             : (none))
#define PORT_TASK_TOP   (PORT_TASK_CYCLES / PORT_TASK_PICK_(8, 64, 256, 1024, 1) - 1)
#define PORT_TASK_CLOCK PORT_TASK_PICK_(2, 3, 4, 5, 0)

/* For those below; top: the last count of a tick. */
void port_tasks_run(uint16_t top, uint8_t clock)
    TAKT_TASK_NAME_(port_tasks_run) __attribute__((noreturn));
void port_tasks_run_sparse(uint16_t top, uint8_t clock)
    TAKT_TASK_NAME_(port_tasks_run_sparse) __attribute__((noreturn));
void port_tasks_run_every(uint16_t top, uint8_t clock)
    TAKT_TASK_NAME_(port_tasks_run_every) __attribute__((noreturn));
void port_tasks_run_in_turn(uint16_t top, uint8_t clock)
    TAKT_TASK_NAME_(port_tasks_run_in_turn) __attribute__((noreturn));
void port_tasks_run_composed(uint16_t top, uint8_t clock) __attribute__((noreturn));

#define PORT_TASKS_RUN_(run)                                                                       \
    do {                                                                                           \
        TAKT_STATIC_ASSERT_(PORT_TASK_CLOCK > 0, "TAKT_TICK_US: Timer1 cannot count that");        \
        run((uint16_t)PORT_TASK_TOP, PORT_TASK_CLOCK | 1 << 3 /* WGM12 */);                        \
    } while (0)

#ifdef TAKT_TASKS_COMPOSED
/* As below, by the pass that the linker has composed. In a program that defines TAKT_TASKS_COMPOSED
 * before takt/task.h, in all files with tasks: 32 tasks, with counts of 16 bits 16. Handlers leave
 * interrupts off (no ISR_NOBLOCK): what is interrupted asleep has nothing saved. */
static inline __attribute__((always_inline, noreturn)) void takt_tasks_run(void)
{
    PORT_TASKS_RUN_(port_tasks_run_composed);
    __builtin_unreachable();
}
#else
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

/* The same as takt_tasks_run_sparse(), but the timer does interrupt once a tick: one that no task
 * can be released at is just counted, in about 22 cycles. For a short tick, and periods that have a
 * common divisor of many ticks: where it is 1 every tick is looked at, as by takt_tasks_run(), and
 * it costs as much. */
static inline __attribute__((always_inline, noreturn)) void takt_tasks_run_every(void)
{
    PORT_TASKS_RUN_(port_tasks_run_every);
    __builtin_unreachable();
}

/* The same as takt_tasks_run(), but no task interrupts another: the most urgent one that waits
 * starts when the one that runs has returned. However long that takes, every tick counts, and what
 * is missed meanwhile (takt_task_missed()). */
static inline __attribute__((always_inline, noreturn)) void takt_tasks_run_in_turn(void)
{
    PORT_TASKS_RUN_(port_tasks_run_in_turn);
    __builtin_unreachable();
}
#endif

#ifdef __cplusplus
}
#endif

#endif
