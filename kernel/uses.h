/*
 * What a program uses of the kernel, as constants, 1 or 0. The build finds it in the program
 * (tools/takt/features.py), writes takt_uses.h and compiles the kernel for that set: so control flow
 * is in the source, and what is not used costs nothing. Without that header the kernel has everything.
 *
 * A program uses a feature when it calls a function that is defined in one of the files named beside it, and
 * budgets when one of its threads has a VCPU.
 */
#ifndef TAKT_KERNEL_USES_H
#define TAKT_KERNEL_USES_H

#include <takt/config.h>

#ifdef TAKT_USES
#include <takt_uses.h>
#else
#define TAKT_USES_BUDGETS   1
#define TAKT_USES_CREATION  1 /* create.c tpipe.c */
#define TAKT_USES_IO        1 /* vcpu_io.c */
#define TAKT_USES_JOBS      1 /* periodic.c periodic_start.c periodic_register.c */
#define TAKT_USES_MUTEX     1 /* mutex.c */
#define TAKT_USES_REFERENCE 1 /* reference.c */
#define TAKT_USES_TASKS     1 /* tasks.c */
#define TAKT_USES_TELLING   1 /* fatal_line.c */
#define TAKT_USES_TIME      1 /* time.c sem_timed.c pace.c pipe.c retime.c tpipe.c vcpu_io.c */
#endif

#define TAKT_HAS_BUDGETS   (TAKT_USES_BUDGETS || TAKT_USES_CREATION) /* of threads created later */
#define TAKT_HAS_IO        TAKT_USES_IO        /* bottom halves on I/O VCPUs */
#define TAKT_HAS_JOBS      TAKT_USES_JOBS      /* periodic threads */
#define TAKT_HAS_MUTEX     TAKT_USES_MUTEX
#define TAKT_HAS_REFERENCE TAKT_USES_REFERENCE /* jobs are released by another clock than the kernel's */
#define TAKT_HAS_TASKS     TAKT_USES_TASKS     /* beside threads */
#define TAKT_HAS_TIME      (TAKT_USES_TIME || TAKT_HAS_TASKS)
#define TAKT_HAS_TRACE     (TAKT_TRACE_EVENTS > 0)
#define TAKT_HAS_TELLING   (TAKT_USES_TELLING || TAKT_HAS_TRACE) /* fatal errors are put into words */

/* Threads block and are preempted by dispatch.c, not by something faster that the port has for programs of
 * threads and semaphores. */
#ifdef PORT_HAS_DISPATCHER
#define TAKT_HAS_DISPATCHER (TAKT_HAS_BUDGETS || TAKT_HAS_MUTEX || TAKT_HAS_TASKS || TAKT_HAS_TRACE)
#else
#define TAKT_HAS_DISPATCHER 1
#endif

#endif
