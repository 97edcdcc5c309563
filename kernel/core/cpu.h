/*
 * The state of one CPU (cpus.h says which) and the kernel's internal interface. Private to kernel/.
 *
 * A thread that is ready is in exactly one of these sets:
 *   ready       may run in the foreground (has budget, or the program has no budgets at all)
 *   background  runs only when `ready` is empty; threads that have no budget at all before those
 *               that have exhausted theirs
 * `spent` marks threads that have exhausted their budget and wait for a replenishment: they are in
 * `background` as well, unless their VCPU says TAKT_NO_BACKGROUND.
 *
 * Threads, semaphores and mutexes alone may have the port's dispatcher (port/armv6m/sem.S). With
 * tasks or the trace, and on other ports, sched.c's switches; with budgets dispatch.c's.
 */
#ifndef TAKT_KERNEL_CPU_H
#define TAKT_KERNEL_CPU_H

#include "uses.h"

#include <takt/fact.h>
#include <takt/flash.h>
#include <takt/mutex.h>
#include <takt/port.h>
#include <takt/sem.h>
#include <takt/thread.h>
#include <takt/trace.h>
#include <takt/vcpu.h>

#ifndef TAKT_ISR_NESTING
#define TAKT_ISR_NESTING 8 /* at most one handler per interrupt priority is active */
#endif

/* What every program has. */
struct takt_core {
    takt_set_t ready;
    uint8_t current;  /* place that runs, TAKT_NOBODY while idle; not valid before the start */
    uint8_t context;  /* while idle: place on whose stack the CPU is */
    uint8_t count;    /* threads; 0 before the start */
    uint8_t flags;    /* TAKT_CORE_... */
#if TAKT_HAS_MUTEX && !TAKT_HAS_DISPATCHER
    takt_set_t kept;  /* from running, by the ceiling: all below it but the holder */
#endif
};

#define TAKT_CORE_IDLE  1u /* no thread runs, and the trace knows */
/* takt_fatal(): its code is in the other bits, its place in context */
#define TAKT_CORE_FATAL 0x80u

/* Mutexes, see mutex.c. */
struct takt_locks {
    uint8_t ceiling; /* places >= this are kept away, TAKT_PLACES when no mutex is held */
    uint8_t holder;  /* place of the thread that holds the innermost mutex, if below TAKT_PLACES */
    bool looked;     /* the dispatcher has run since the innermost mutex was locked */
    struct takt_mutex *innermost; /* locked last and not yet unlocked */
#if TAKT_HAS_LOCKS
    struct takt_mutex *asleep; /* locks whose holders wait, or have not run since they got them; by
                                  `outer`, of one holder the outermost first */
#endif
};

/* Sleeping, see time.c. */
struct takt_timers {
    takt_set_t sleepers; /* waiting for their time, alone or beside a semaphore */
    takt_time_t wake_at; /* no sleeper wakes before this */
};

/* Budgets and what belongs to them, see budget/dispatch.c. */
struct takt_cpu {
    uint8_t foreground;   /* current was last dispatched on a budget: 0, 1; TAKT_ANEW: it is to be
                             dispatched again, though it runs already */
    bool charging : 1;    /* and still has some: its use is taken from the server */
    bool rang : 1;        /* the alarm rang, replenishments may be due */
    bool busy : 1;        /* inside the dispatcher: handlers need not ask for it */
    bool blocking : 1;    /* `current` is on its way out */
    bool alarm_armed : 1; /* it is set, to alarm_at */
    bool alarm_wanted : 1; /* it has been for more than the running budget */
    bool asked : 1;       /* a handler has asked for the dispatcher, which has not run yet */
    bool returning : 1;   /* its account opens where `current` goes on, which the port notes */
    bool asleep : 1;      /* the CPU sleeps: no thread's time */
    uint8_t events_for;   /* place that asked for events_at, or TAKT_NOBODY */
    uint8_t rang_for;     /* place that the alarm that rings was for */
    uint8_t isr_depth;    /* nested handlers */
    uint32_t *payer;          /* the account from which passing time is taken: use.h */
    struct takt_instant from; /* up to here, CPU time has been attributed */
    uint32_t kernel;          /* of handlers and the dispatcher, not yet attributed; negative */
    uint32_t spare;           /* no thread's */
    takt_set_t background;
    takt_set_t spent;
    takt_set_t woken;     /* to be made ready by the dispatcher */
    takt_set_t raised;    /* bottom halves whose rank or share may have changed; periodic threads of
                             which a release may have come */
    takt_set_t fresh;     /* have not run yet, or are to begin anew */
    takt_set_t bottoms;   /* bottom halves: compete with the rank of the thread that they serve */
    takt_set_t doomed;    /* jobs that are to be terminated; these are fresh, too */
    takt_time_t events_at; /* what the alarm is wanted for, but the end of the running budget */
    takt_time_t alarm_at; /* what the port's alarm is set to */
    takt_time_t refill_at; /* earliest replenishment in `spent` */
    takt_time_t aged;     /* when old dates were last pulled along */
    uint32_t *interrupted;    /* the payer before the outermost handler */
    takt_time_t isr_start[TAKT_ISR_NESTING]; /* entry of each nested handler */
    uint32_t isr_us;      /* all handlers, ever */
};

#define TAKT_ANEW 2u

#define TAKT_LOCKS_INIT {.ceiling = TAKT_PLACES}

#include "cpus.h" /* takt_core, takt_locks, takt_timers, takt_cpu */

/* The table of threads by place and what they own in RAM. */
#if TAKT_DYNAMIC
extern const struct takt_thread *takt_table[TAKT_PLACES];
extern struct takt_tcb takt_tcbs[TAKT_TCBS];
extern takt_time_t takt_wakes[TAKT_PLACES];
/* The linked threads, which the table begins with. */
extern const struct takt_thread *const takt_linked[] __asm__("__takt_threads_start");
extern const struct takt_thread *const takt_linked_end[] __asm__("__takt_threads_end");
#pragma weak takt_linked /* the host's link script has no table where there are no threads */
#pragma weak takt_linked_end
#else
extern const struct takt_thread *const takt_table[] __asm__("__takt_threads_start");
extern const struct takt_thread *const takt_table_end[] __asm__("__takt_threads_end");
extern struct takt_tcb takt_tcbs[] __asm__("__takt_tcbs");
extern takt_time_t takt_wakes[] __asm__("__takt_wakes"); /* when sleepers wake; with time.c only */
#endif

/* The descriptor at `place`, for its address only, and what a member of it holds: they may be
 * apart. */
static inline const struct takt_thread *takt_descriptor(uint8_t place)
{
    return TAKT_FLASH_POINTER(&takt_table[place]);
}
#define TAKT_OF(place, member) TAKT_FLASH_POINTER(&takt_descriptor(place)->member)

/* Is a semaphore or mutex null, and would no fault tell? */
static inline bool takt_is_null(const void *object)
{
    return TAKT_NULL_READS && !object;
}

/* Where the caller was linked; a thread created at run time: where it is. Interrupts off. */
#if TAKT_DYNAMIC
uint8_t takt_linked_place(void);
#else
static inline uint8_t takt_linked_place(void)
{
    return takt_self();
}
#endif

/* How many threads there are, whatever RAM says. */
static inline uint8_t takt_places(void)
{
#if TAKT_DYNAMIC
    return takt_core.count;
#else
    return (uint8_t)(takt_table_end - takt_table);
#endif
}

/* Has the first thread been set up? Not asked of takt_core, which an overflowing stack may reach.
 */
static inline bool takt_started(void)
{
    return takt_tcbs[0].sp != NULL;
}

/* Is that an entry of the table? The same. */
static inline bool takt_is_thread(const struct takt_thread *const *entry)
{
#if TAKT_DYNAMIC
    return entry < &takt_table[takt_core.count];
#else
    return entry < takt_table_end;
#endif
}

#if __SIZEOF_INT__ == 2
typedef uint16_t takt_sentinel_t;
#else
typedef uint32_t takt_sentinel_t;
#endif
#define TAKT_SENTINEL ((takt_sentinel_t)0x5441544Bu) /* in the lowest word of every stack */

#define TAKT_ASSERT(condition)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            takt_fatal(TAKT_FATAL_ASSERT, takt_core.context, #condition);                          \
    } while (0)

/* What is left of a fatal error where it is not told. */
static inline void takt_note_fatal(enum takt_fatal code, uint8_t place)
{
    takt_core.context = place;
    takt_core.flags = (uint8_t)(TAKT_CORE_FATAL | code);
}

/* A fault whose reason, a text of at most 27 bytes in flash, ends in a number, of 8 digits if the
 * base is 16. With TAKT_HAS_TELLING. */
void takt_fatal_number(const char *text, unsigned number, unsigned base) __attribute__((noreturn));

/* Chooses the first thread as takt_core.current; sets up budgets where there are any. */
void takt_begin_first_locked(void);

/* Puts the sentinel and the first context on the stack of the thread at `place`. */
void takt_prepare_stack(uint8_t place);

/* Sets up `count` threads of the table, all ready, and enters the first. */
void takt_boot_locked(uint8_t count) __attribute__((noreturn));

/* What should run now: the most urgent ready thread the ceiling lets pass; TAKT_NOBODY if none.
 * Pure. */
uint8_t takt_pick_locked(void);

/*
 * The calling thread stops being ready and another one runs; returns when it is woken. Here and
 * below, `irq` is the interrupt state the caller's caller had, in force where the dispatcher need
 * not have interrupts off.
 */
void takt_block_locked(enum takt_block_reason reason, port_irq_t irq);

/* What this and takt_preempt() are in C. */
void takt_leave_locked(enum takt_block_reason reason, port_irq_t irq);
void takt_preempted_locked(void);

/* Makes the thread at `place` ready, if it is not. Does not switch. */
void takt_wake_locked(uint8_t place);

/* Handlers: makes those of the set ready that are not; asks the port to preempt if that is called
 * for. */
void takt_wake_isr(takt_set_t set);

/* Notes that a thread runs, blocks, ... from now on, where there is a trace. */
static inline void takt_note_locked(uint8_t kind, uint8_t place, uint32_t value)
{
    if (TAKT_TRACE_EVENTS > 0)
        takt_trace_locked(port_now(), kind, place, value);
}

/* Runs the thread that should run now; returns when the caller runs again. Thread context. */
void takt_dispatch_locked(port_irq_t irq);

/* The running thread has unlocked a mutex: does it plainly go on, with nothing to do for the
 * dispatcher? */
bool takt_goes_on_locked(void);

/* As takt_dispatch_locked(), from a handler: asks the port to preempt if that is called for. */
void takt_dispatch_isr_locked(void);

/* Sleeps until an interrupt has been taken. Used by dispatching. */
void takt_idle_locked(void);

/* Ends the program, naming the thread, if its stack has overflowed. Called on every way to a
 * switch and to idling; armv6m's own dispatcher: to idling and to a preemption. */
void takt_check_stack(uint8_t place);

/* The same of the stack of main and the interrupts, on which the dispatcher with budgets works,
 * too. Where the port has such a stack, in programs with budgets or the trace: a file that looks
 * marks it before main, and before there may be a guard. */
#ifdef PORT_ISR_STACK
#define TAKT_MARKS_ISR_STACK                                                                       \
    __attribute__((constructor)) static void mark_isr_stack(void)                                  \
    {                                                                                              \
        PORT_ISR_STACK[0] = TAKT_SENTINEL;                                                         \
    }                                                                                              \
    _Static_assert(1, "")
#else
#define TAKT_MARKS_ISR_STACK _Static_assert(1, "")
#endif

static inline void takt_check_isr_stack(void)
{
#ifdef PORT_ISR_STACK
    if (*(volatile takt_sentinel_t *)PORT_ISR_STACK != TAKT_SENTINEL)
        takt_fatal(TAKT_FATAL_ISR_STACK, TAKT_NOBODY, NULL);
#endif
}

/* From now on `next` runs: returns the place on the stack of which the CPU still is. */
static inline uint8_t takt_enter_locked(uint8_t next)
{
    uint8_t self = takt_core.context;
    takt_core.current = takt_core.context = next;
    takt_core.flags &= (uint8_t)~TAKT_CORE_IDLE;
    return self;
}

#define TAKT_ALARM_FAR (TAKT_DURATION_MAX / 2)

/* The alarm is to ring at `at` at the latest. A caller that asks because of a sleeper has seen
 * that no other wakes before: without budgets it is simply set. */
void takt_alarm_by_locked(takt_time_t at);

/*
 * The calling thread, which may block, becomes one of `set` and blocks until the clock reads `at`
 * or a signal takes it out of the set and wakes it. TAKT_ETIMEOUT if it was still in the set; never
 * with the set of sleepers. Interrupts are on when it returns.
 */
int takt_sleep_locked(takt_set_t *set, takt_time_t at);

/* Parts of the alarm handler. Wakes sleepers whose time has come; returns when to look again. Notes
 * whether budgets need a look, and sets the alarm for them or for `next`, whichever is earlier. */
takt_time_t takt_sleepers_due(takt_time_t now);
void takt_budgets_due_locked(takt_time_t now, takt_time_t next);

/* Parts of the dispatcher for bottom halves (vcpu_io.c): the one among `bottoms` with
 * the most urgent rank, if that is at or above `most`, else TAKT_NOBODY; those in `raised` take on
 * the period of what they serve; the thread at `place` is set up. */
uint8_t takt_io_pick_locked(takt_set_t bottoms, uint8_t most);
void takt_io_look(takt_set_t raised);
void takt_io_begin_locked(uint8_t place);

/* Parts of the alarm's handler and of the dispatcher for periodic jobs (periodic.c):
 * notes which are due, returns when to come again, `next` at the latest; jobs of `threads` begin
 * whose release has come; the running thread, which is doomed, goes on, having waited or not: may
 * not return. Its budget dated `release`, the thread at `place` is woken. The clock that releases
 * follow, and back. */
takt_time_t takt_releases_due(takt_time_t now, takt_time_t next);
void takt_periodic_look(takt_set_t threads);
void takt_end_job_locked(bool waited);
void takt_begin_job(uint8_t place, takt_time_t release);
#if TAKT_HAS_REFERENCE
takt_time_t takt_to_reference(takt_time_t at);
takt_time_t takt_from_reference(takt_time_t at);
#else
static inline takt_time_t takt_to_reference(takt_time_t at)
{
    return at;
}

static inline takt_time_t takt_from_reference(takt_time_t at)
{
    return at;
}
#endif

/* The same, where threads are created at run time: places from `place` on move up; all forgotten,
 * for another start. */
void takt_periodic_shift_locked(takt_set_t (*shifted)(takt_set_t set, uint8_t place),
                                uint8_t place);
void takt_periodic_reset(void);
void takt_reference_reset(void);

/* The same for tasks (tasks.c). */
takt_time_t takt_tasks_due(takt_time_t now, takt_time_t next);

/* The running thread, about to sleep, may have set the alarm: sets it for the tasks if they want it
 * earlier. Without budgets it rings when the last caller asked. */
void takt_tasks_alarm(void);

/* Tasks, too: a thread runs again. If it was preempted, what its tasks have missed meanwhile is
 * made up for on top of it; if it had called, an alarm interrupts it for that at once. */
void takt_tasks_preempted_locked(void);
void takt_tasks_called_locked(void);

static inline void takt_resume_tasks_locked(void)
{
    if (TAKT_HAS_TASKS)
        takt_tasks_preempted_locked();
}

static inline void takt_tasks_go_on_locked(void)
{
    if (TAKT_HAS_TASKS)
        takt_tasks_called_locked();
}

/* The running thread's account opens now; its time is attributed up to now. With budgets only. */
void takt_open_locked(void);
void takt_lapse_locked(void);

/* Beside its own time, the running thread, which is charged, has used `us`. */
void takt_charge_locked(uint32_t us);

/* Handlers and the dispatcher have worked for the thread at `place`, which pays for that if it
 * has budget or the running one has. */
void takt_bill_up_to_now_locked(uint8_t place);

/* Does the thread at a place hold a mutex? */
static inline bool takt_holds_mutex(uint8_t place)
{
    if (TAKT_ONE_THREAD)
        return TAKT_HAS_MUTEX && takt_locks.innermost;
    return TAKT_HAS_MUTEX && takt_locks.ceiling < TAKT_PLACES && takt_locks.holder == place;
}

/* The innermost mutex, the running thread's own, is no longer locked; a dispatch follows. */
void takt_mutex_release_locked(struct takt_mutex *mutex);

/* Threads at `ceiling` and below it are kept from running, but the one at `holder`. */
static inline __attribute__((always_inline)) void takt_keep_away_locked(uint8_t ceiling,
                                                                        uint8_t holder)
{
    if (TAKT_ONE_THREAD)
        return;
    takt_locks.ceiling = ceiling;
    takt_locks.holder = holder;
#if TAKT_HAS_MUTEX && !TAKT_HAS_DISPATCHER
    takt_core.kept = ceiling < TAKT_PLACES ? ~(takt_set_before(ceiling) | takt_set_of(holder)) : 0;
#endif
}

/* The same, of one under which it must not block. */
static inline bool takt_holds_plain_mutex(uint8_t place)
{
    if (!takt_holds_mutex(place))
        return false;
    return !TAKT_HAS_LOCKS || !(takt_locks.innermost->longest_us & TAKT_MUTEX_SLEEPS_);
}

#if TAKT_HAS_LOCKS
/* Locks, see sync/lock.c: the running thread, whose locks are the innermost, stops; the thread at
 * `place` is woken: returns whether it holds some. */
void takt_locks_sleep_locked(void);
bool takt_locks_wake_locked(uint8_t place);

static inline bool takt_any_lock_sleeps(void)
{
    return takt_locks.asleep;
}
#else
static inline void takt_locks_sleep_locked(void) {}

static inline bool takt_locks_wake_locked(uint8_t place)
{
    (void)place;
    return false;
}

static inline bool takt_any_lock_sleeps(void)
{
    return false;
}
#endif

/* May the caller block? 1; 0 while it holds a mutex; TAKT_ECONTEXT in a handler, before the start
 * and with interrupts off. */
int takt_check_block(void);

static inline bool takt_may_block(void)
{
    return takt_check_block() > 0;
}

/* Run-time creation must find what each thread waits for when places shift: the thread at `place`
 * is one of the waiters of `sem`, which is there so long, or, NULL, of none any more. Each change
 * of a set of waiters is beside one of these, under one lock. */
static inline void takt_note_wait_locked(uint8_t place, struct takt_sem *sem)
{
#if TAKT_DYNAMIC
    takt_tcbs[place].waits = sem;
#else
    (void)place, (void)sem;
#endif
}

/* The set of the first `count` threads, of which there is one at least. */
static inline takt_set_t takt_first_places(uint8_t count)
{
    return (takt_set_t)((takt_set_t)~(takt_set_t)0 >> (TAKT_PLACES - count));
}

#endif
