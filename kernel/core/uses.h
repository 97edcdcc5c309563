/*
 * What a program uses of the kernel, as constants, 1 or 0. The build finds it in the program
 * (tools/takt/build/features.py), writes takt_uses.h and compiles the kernel for that set: so
 * control flow is in the source, and what is not used costs nothing. Without that header the kernel
 * has everything.
 *
 * A program uses a feature if it calls one of the functions named above it, or if its data says so
 * by TAKT_NEEDS_() (include/takt/fact.h).
 */
#ifndef TAKT_KERNEL_USES_H
#define TAKT_KERNEL_USES_H

#include <takt/config.h>

#ifdef TAKT_USES
#include <takt_uses.h>
#else

/* data: a VCPU */
#define TAKT_USES_BUDGETS 1

/* takt_io_wait takt_io_raise takt_io_raise_isr takt_io_isr_exit takt_io_enable takt_io_set_share
 * takt_tpipe */
#define TAKT_USES_IO 1

/* takt_periodic_thread takt_periodic_register */
#define TAKT_USES_JOBS 1

/* takt_lock_take takt_lock_take_for takt_lock_give */
#define TAKT_USES_LOCKS 1

/* takt_mutex_lock */
#define TAKT_USES_MUTEX 1

/* takt_sem_signal_isr takt_pipe_put_isr takt_queue_put_isr takt_queue_get_isr takt_flags_set_isr
 * takt_timer_start_isr */
#define TAKT_USES_PREEMPTION 1

/* takt_pipe_thread takt_pipe_begin takt_tpipe */
#define TAKT_USES_PROMISES 1

/* takt_periodic_reference */
#define TAKT_USES_REFERENCE 1

/* takt_flags_wait takt_flags_wait_for takt_flags_set takt_flags_set_isr takt_cond_wait
 * takt_cond_wait_for takt_cond_signal takt_cond_broadcast */
#define TAKT_USES_SYNC 1

/* takt_tasks_thread takt_tasks_in_turn */
#define TAKT_USES_TASKS 1

/* data: threads beside the first */
#define TAKT_USES_THREADS 1

/* data: TAKT_TELLS_FATAL */
#define TAKT_USES_TELLING 1

/* takt_sleep takt_sleep_ms takt_sleep_until takt_sem_wait_for takt_pace_begin takt_pace_rest
 * takt_pace_wait takt_pipe_wait takt_pipe_thread takt_queue_put_for takt_queue_get_for
 * takt_flags_wait_for takt_cond_wait_for takt_timer_start takt_timer_start_isr takt_timer_serve
 * takt_lock_take_for */
#define TAKT_USES_TIME 1

#endif

/* What follows from that and from the board. */
#define TAKT_HAS_BUDGETS (TAKT_USES_BUDGETS || TAKT_DYNAMIC) /* created threads may have some */
#define TAKT_HAS_IO      TAKT_USES_IO                        /* bottom halves on I/O VCPUs */
#define TAKT_HAS_JOBS    TAKT_USES_JOBS                      /* periodic threads */
#define TAKT_HAS_LOCKS   TAKT_USES_LOCKS
#define TAKT_HAS_MUTEX   (TAKT_USES_MUTEX || TAKT_USES_LOCKS || TAKT_DYNAMIC)
/* Changes at run time leave pipes what they were promised. */
#define TAKT_HAS_PROMISES (TAKT_USES_PROMISES && TAKT_DYNAMIC)
/* Jobs are released by another clock than the kernel's. */
#define TAKT_HAS_REFERENCE TAKT_USES_REFERENCE
#define TAKT_HAS_SYNC      TAKT_USES_SYNC  /* flags, conditions */
#define TAKT_HAS_TASKS     TAKT_USES_TASKS /* beside threads */
#define TAKT_HAS_TIME      (TAKT_USES_TIME || TAKT_HAS_TASKS || TAKT_DYNAMIC)
#define TAKT_HAS_ALARM     (TAKT_HAS_TIME || TAKT_HAS_BUDGETS)
/* Handlers wake threads. */
#define TAKT_HAS_PREEMPTION (TAKT_USES_PREEMPTION || TAKT_HAS_ALARM)
#define TAKT_HAS_TRACE      (TAKT_TRACE_EVENTS > 0)
/* Several threads, or what works like one. The ports' own dispatcher has no other. */
#define TAKT_HAS_THREADS                                                                           \
    (TAKT_USES_THREADS || TAKT_HAS_BUDGETS || TAKT_HAS_TASKS || TAKT_HAS_TRACE ||                  \
     PORT_HAS_DISPATCHER)
/* Fatal errors are put into words. Where threads can be created a console is always there. */
#define TAKT_HAS_TELLING (TAKT_USES_TELLING || TAKT_HAS_TRACE || TAKT_DYNAMIC)

/* Threads block and are preempted in C, not by something faster that the port has for
 * programs of threads, semaphores and mutexes. */
#ifdef PORT_HAS_DISPATCHER
#define TAKT_HAS_DISPATCHER                                                                        \
    (TAKT_HAS_BUDGETS || TAKT_HAS_TASKS || TAKT_HAS_TRACE || TAKT_HAS_SYNC ||                      \
     TAKT_HAS_LOCKS)
#else
#define TAKT_HAS_DISPATCHER 1
#endif

#if TAKT_ONE_THREAD && TAKT_HAS_THREADS
#error "TAKT_ONE_THREAD: the program has several, or budgets, tasks, the trace"
#endif

#endif
