/*
 * Tasks beside threads: one thread, takt_tasks_thread(), runs them all, on its stack.
 *
 *      waits ---- release or trigger ----> pass: counts, starts tasks ----> waits for the next one
 *                                            ^          |
 *                                            |          v     the alarm rings for a task of higher
 *                                            '--- a task runs <==> priority: a pass on top of it
 *
 * The pass on top is made by takt_preempt(): when the handlers are done, or when the thread,
 * preempted by other threads meanwhile, has the CPU again; until then the alarm does not ring for
 * it. It is not made while the task holds a mutex, is in a whole call or between two that belong
 * together (takt/job.h) or is about to sleep, since all tasks are one thread; a tick later it is
 * tried again. When a task has returned the time gone by is looked at anyway.
 *
 * Time is counted in whole ticks from the start on; between releases there is no tick, just the
 * alarm.
 */
#include "core/cpu.h"

#include <takt/create.h>
#include <takt/job.h>
#include <takt/sem.h>

#if TAKT_HAS_TASKS

static takt_time_t host_release_us; /* of the task about to start, for the trace */

static void starts_locked(const void *task, uint8_t own);
static void ends_locked(const void *task, uint8_t own, takt_time_t released);
static void misses_locked(uint8_t own);

#define TAKT_TASK_STARTS(task, own)                                                                \
    starts_locked(task, own);                                                                      \
    takt_time_t released = host_release_us
#define TAKT_TASK_ENDS(task, own)   ends_locked(task, own, released)
#define TAKT_TASK_MISSES(task, own) misses_locked(own)
#include "task.h"

#pragma weak takt_before_jobs /* in a sketch: setup() is first */
void takt_before_jobs(void);

#define STEP_MAX 0x3FFF /* ticks that a count can be lowered by at once */

uint8_t takt_task_rank;

static struct {
    struct takt_sem wake; /* a trigger, for the thread where it waits */
    takt_time_t tick;     /* us */
    takt_time_t at;       /* the date of the tick counted last */
    takt_time_t alarm_at; /* when something more urgent than what runs is released */
    bool armed;           /* alarm_at is valid */
    bool due;             /* a pass on top is to be made */
    uint8_t place;        /* the thread's; TAKT_NOBODY before it runs */
    uint8_t holds;        /* whole calls that the task is in */
} host = {.wake = TAKT_SEM_BINARY_INIT(0), .place = TAKT_NOBODY};

/* Ticks gone by and not yet counted, as many as can be counted at once; they are now. */
static takt_task_span_t elapsed_locked(void)
{
    takt_time_t ticks = (port_now() - host.at) / host.tick;
    if (ticks > STEP_MAX)
        ticks = STEP_MAX;
    host.at += ticks * host.tick;
    return (takt_task_span_t)ticks;
}

/* The date of the next release of tasks above `rank`; at most TAKT_ALARM_FAR ahead. */
static takt_time_t next_locked(uint8_t rank)
{
    uint32_t least = TAKT_ALARM_FAR / host.tick;
    const struct takt_task *task = takt_tasks;
    for (uint8_t own = TAKT_TASK_COUNT; own > rank; --own, ++task) {
        uint32_t ticks = task->left < 0 ? 0 : (uint32_t)task->left + 1;
        if (ticks < least)
            least = ticks;
    }
    return host.at + least * host.tick;
}

static void ring_at_locked(takt_time_t at)
{
    host.armed = true;
    host.alarm_at = at;
    bool sleeper = takt_timers.sleepers && takt_before(takt_timers.wake_at, host.alarm_at);
    takt_alarm_by_locked(sleeper ? takt_timers.wake_at : host.alarm_at);
}

/* The alarm is to ring for what is more urgent than `rank`. */
static void arm_locked(uint8_t rank)
{
    host.armed = false;
    if (rank > 0 && rank < TAKT_TASK_COUNT)
        ring_at_locked(next_locked(rank));
}

void takt_tasks_alarm(void)
{
    port_irq_t irq = port_irq_save();
    if (host.armed && takt_here(host.place) && takt_before(host.alarm_at, takt_timers.wake_at))
        takt_alarm_by_locked(host.alarm_at);
    port_irq_restore(irq);
}

static uint8_t place_of(uint8_t own)
{
    return (uint8_t)(TAKT_TASK_COUNT - own);
}

static void starts_locked(const void *one, uint8_t own)
{
    const struct takt_task *task = one;
    takt_time_t to_next = ((takt_time_t)task->left + 1u) * host.tick;
    host_release_us = host.at + to_next - (takt_time_t)task->period * host.tick;
    takt_note_locked(TAKT_EV_TASK, place_of(own), port_now() - host_release_us);
    if (takt_task_rank == own) /* else tasks are in turn: none interrupts it */
        arm_locked(own);
}

static void ends_locked(const void *task, uint8_t own, takt_time_t released)
{
    (void)task;
    takt_note_locked(TAKT_EV_TASK_END, place_of(own), port_now() - released);
    if (takt_task_over)
        takt_task_over();
}

static void misses_locked(uint8_t own)
{
    takt_note_locked(TAKT_EV_TASK_MISSED, place_of(own), 1);
}

/* Starts what is more urgent than `rank`, until nothing is. */
static __attribute__((noinline)) void takt_tasks_pass_locked(uint8_t rank)
{
    do {
        host.due = false;
        takt_task_pass_locked(rank, elapsed_locked());
    } while (host.due || port_now() - host.at >= host.tick);
    arm_locked(rank);
}

/* Are tasks to be started on top of the one that runs? */
static bool waiting_locked(void)
{
    return host.due && takt_task_rank > 0 && takt_core.current == host.place;
}

static void look_locked(void)
{
    if (host.holds || (takt_task_keeps_off && takt_task_keeps_off()) ||
        takt_holds_mutex(host.place) || takt_set_has(takt_timers.sleepers, host.place))
        takt_tasks_called_locked(); /* no pass on top of that */
    else
        takt_tasks_pass_locked(takt_task_rank);
}

void takt_tasks_preempted_locked(void)
{
    TAKT_FACT("only tasks");
    if (!waiting_locked())
        return;
    if (TAKT_HAS_BUDGETS)
        takt_open_locked(); /* they run as long as they like */
    look_locked();
    if (TAKT_HAS_BUDGETS)
        takt_lapse_locked();
}

void takt_tasks_called_locked(void)
{
    takt_time_t soon = port_now() + host.tick;
    if (waiting_locked() && (!host.armed || takt_before(soon, host.alarm_at)))
        ring_at_locked(port_now());
}

/* A task that comes on top between reading and writing has left `holds` as it was. */
void takt_tasks_hold(void)
{
    if (!port_in_isr() && takt_self() == host.place)
        host.holds++;
}

void takt_tasks_release(void)
{
    if (port_in_isr() || takt_self() != host.place || host.holds == 0 || --host.holds)
        return;
    port_irq_t irq = port_irq_save();
    if (waiting_locked())
        ring_at_locked(port_now());
    port_irq_restore(irq);
}

takt_time_t takt_tasks_due(takt_time_t now, takt_time_t next)
{
    port_irq_t irq = port_irq_save();
    bool armed = host.armed && takt_here(host.place);
    if (armed && !takt_before(now, host.alarm_at)) {
        host.due = true;
        host.alarm_at = now + host.tick; /* if the pass cannot be made */
        armed = host.armed = takt_core.current == host.place;
        if (armed)
            port_switch_from_isr();
    }
    if (armed && takt_before(host.alarm_at, next))
        next = host.alarm_at;
    port_irq_restore(irq);
    return next;
}

#if TAKT_DYNAMIC
void takt_tasks_shift_locked(uint8_t place)
{
    takt_shift_place(&host.place, place);
}
#endif

static void begin(takt_time_t tick)
{
    if (takt_before_jobs)
        takt_before_jobs();
    port_irq_save();
    if (takt_task_over)
        takt_task_over();
    host.tick = tick;
    host.at = port_now() - tick;
    host.place = takt_core.current;
    port_irq_restore(0);
}

/* Nothing runs: waits for the next release, or a trigger. */
static void rest(void)
{
    port_irq_save();
    takt_time_t next = next_locked(0), now = port_now();
    port_irq_restore(0);
    if (takt_before(now, next))
        takt_sem_wait_for(&host.wake, next - now);
}

void takt_tasks_thread(void *tick)
{
    TAKT_FACT("entry tasks");
    begin((takt_time_t)(uintptr_t)tick);
    for (;;) {
        port_irq_save();
        takt_tasks_pass_locked(0);
        port_irq_restore(0);
        rest();
    }
}

void takt_tasks_in_turn(void *tick)
{
    TAKT_FACT("entry tasks in turn");
    begin((takt_time_t)(uintptr_t)tick);
    for (;;) {
        port_irq_save();
        takt_task_pass_locked(TAKT_TASK_TOP, elapsed_locked());
        bool ran = takt_task_turn_locked();
        host.armed = false;
        port_irq_restore(0);
        if (!ran)
            rest();
    }
}

/* The thread may be another CPU's: then it looks as if preempted. */
static inline void look_there_locked(void)
{
    if (PORT_CPUS > 1 && host.place != TAKT_NOBODY)
        takt_kick_locked(host.place);
}

void takt_task_look(void)
{
    port_irq_t irq = port_irq_save();
    host.due = true;
    if (waiting_locked())
        look_locked();
    look_there_locked();
    port_irq_restore(irq);
    if (takt_self() != host.place)
        takt_sem_signal(&host.wake);
}

void takt_task_look_isr(void)
{
    port_irq_t irq = port_irq_save();
    host.due = true;
    port_switch_from_isr();
    look_there_locked();
    port_irq_restore(irq);
    takt_sem_signal_isr(&host.wake);
}

#endif
