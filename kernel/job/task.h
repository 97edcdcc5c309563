/*
 * Release and dispatch of tasks (RIOS, Figure 6), wherever they run. Private to kernel/ and port/.
 *
 * Every task counts down to its release. Below zero it waits to be started; it goes on counting,
 * and gets its period back when it starts, so that the phase stays whatever the delay. One pass
 * over the table, from the most urgent task on, counts and starts:
 *
 *     left   3  2  1  0 -1 | started: + period     more urgent than what was interrupted
 *                       -1 -2 -3 ...               waits; at -1 - period its next release has come:
 *                                                  + period, one missed
 *
 * While a task runs interrupts are on, and the next tick's pass may come on top of it: it starts
 * only what is more urgent, and counts for all. Counting is adding, so it does not matter in which
 * order passes come to a task, and each comes to it once. When a task returns none of higher
 * priority waits; what the passes on top of it have released and not started is below it, or
 * itself: looked at next.
 *
 * Unlike the paper's scheduler (design 10.13): a release is never lost between counting and
 * starting, nothing is looked at with interrupts on, and no array of running tasks can overflow:
 * where a task runs is one byte, its rank: the number of tasks down to the end of the table, 0 for
 * none.
 */
#ifndef TAKT_KERNEL_TASK_H
#define TAKT_KERNEL_TASK_H

#include <takt/fact.h>
#include <takt/port.h>
#include <takt/task.h>

/* The table, most urgent first; 255 at most (task_table.c). */
extern struct takt_task takt_tasks[];
extern struct takt_task takt_tasks_end[];
#ifdef PORT_TASK_COUNT
#define TAKT_TASK_COUNT PORT_TASK_COUNT()
#else
#define TAKT_TASK_COUNT ((uint8_t)(takt_tasks_end - takt_tasks))
#endif

/* The rank of what runs; a port may have a better place for it. */
#ifdef PORT_TASK_RANK
#define takt_task_rank PORT_TASK_RANK
#else
extern uint8_t takt_task_rank;
#endif

/* Interrupts off, whatever they were. */
#ifdef PORT_IRQ_OFF
#define TAKT_TASK_IRQ_OFF() PORT_IRQ_OFF()
#else
#define TAKT_TASK_IRQ_OFF() port_irq_save()
#endif

/* What is to be told of a task, for the trace: see tasks.c. */
#ifndef TAKT_TASK_STARTS
#define TAKT_TASK_STARTS(task, rank) ((void)(task), (void)(rank))
#define TAKT_TASK_ENDS(task, rank)   ((void)(task), (void)(rank))
#define TAKT_TASK_MISSES(task, rank) ((void)(task), (void)(rank))
#endif

/* A task that waits starts; `left` is what is left to its next release, `back` the rank that ran
 * before, or again its own where none asks. Returns what is left when it has returned. */
static inline __attribute__((always_inline)) takt_task_span_t
takt_task_start_locked(struct takt_task *task, takt_task_span_t left, uint8_t own, uint8_t back)
{
    task->left = left;
    if (own != back)
        takt_task_rank = own;
    TAKT_TASK_STARTS(task, own);
    port_irq_restore(0);
    TAKT_FACT("calls task");
    task->run();
    TAKT_TASK_IRQ_OFF();
    TAKT_TASK_ENDS(task, own);
    if (own != back)
        takt_task_rank = back;
    return task->left;
}

/*
 * `elapsed` ticks have gone by: counts, and starts what is more urgent than `rank`. Interrupts off
 * before and after.
 */
static inline __attribute__((always_inline)) void takt_task_pass_locked(uint8_t rank,
                                                                        takt_task_span_t elapsed)
{
    struct takt_task *task = takt_tasks;
    uint8_t own = TAKT_TASK_COUNT;
    do {
        takt_task_span_t left = (takt_task_span_t)(task->left - elapsed);
        task->left = left;
        while (left < 0) {
            takt_task_span_t next = (takt_task_span_t)(left + task->period);
            if (next < 0) {
                task->left = left = next;
                task->missed++;
                TAKT_TASK_MISSES(task, own);
                continue;
            }
            if (own <= rank)
                break;
            left = takt_task_start_locked(task, next, own, rank);
        }
        ++task;
    } while (--own);
}

/* The rank above all: a pass of it starts nothing. */
#define TAKT_TASK_TOP UINT8_MAX

/* One at a time: the most urgent task that waits runs. Returns whether there was one. */
static inline bool takt_task_turn_locked(void)
{
    struct takt_task *task = takt_tasks;
    uint8_t own = TAKT_TASK_COUNT;
    do {
        takt_task_span_t left = task->left;
        if (left < 0) {
            takt_task_start_locked(task, (takt_task_span_t)(left + task->period), own, own);
            return true;
        }
        ++task;
    } while (--own);
    return false;
}

/* For triggered tasks: what is more urgent than what runs starts now, or when the handlers are
 * done. */
void takt_task_look(void) TAKT_TASK_NAME_(takt_task_look);
void takt_task_look_isr(void) TAKT_TASK_NAME_(takt_task_look_isr);

#endif
