/*
 * Build-time scalars of the kernel. Each may be overridden with -D; nothing else is configurable
 * by hand: what a program uses of the kernel the build finds out (kernel/core/uses.h).
 */
#ifndef TAKT_CONFIG_H
#define TAKT_CONFIG_H

/* What a port says first: port/avr/port_config.h. */
#if defined(__has_include)
#if __has_include(<port_config.h>)
#include <port_config.h>
#endif
#endif

/* CPUs there may be, see takt/port.h; how many there are is seen at the start. */
#ifndef PORT_CPUS
#define PORT_CPUS 1
#endif

/* Threads there may be: bits of a set, 8, 32 or 64. */
#ifndef TAKT_PLACES
#define TAKT_PLACES 32
#endif

/* The program has one thread, which nothing beside it keeps from running: the build says so of the
 * kernel, and of drivers that are compiled for that, too. What waits then waits where it is. */
#ifndef TAKT_ONE_THREAD
#define TAKT_ONE_THREAD 0
#endif

/* Lowest bytes of each thread's stack that are not for use, because the port has the MPU guard
 * them. What a program asks for is on top. */
#ifndef PORT_GUARD_BYTES
#define PORT_GUARD_BYTES 0
#endif

/* Replenishments a Main VCPU can hold. More wake-ups than this within one period are merged
 * (delayed, never lost); see kernel/budget/server.c. */
#ifndef TAKT_REPLENISHMENTS
#define TAKT_REPLENISHMENTS 8
#endif

/* By how many microseconds the end of a budget may be noticed late: the kernel adds them to every
 * budget, for that is paid back. */
#ifndef TAKT_BUDGET_MARGIN_US
#define TAKT_BUDGET_MARGIN_US 5
#endif

/* At most what the kernel does on the board for one start of a thread: that it wakes or gets budget
 * back, and that it goes again (two switches and two alarms). Every budget holds one more than C,
 * which admission counts; how much a start does take is measured and charged (kernel/budget/use.h).
 */
#ifndef TAKT_START_COST_US
#define TAKT_START_COST_US 0
#endif

/* What a server holds beside C. */
#define TAKT_BUDGET_MORE_US (TAKT_BUDGET_MARGIN_US + TAKT_START_COST_US)

/* Smaller pieces of budget than this are not worth a start: they join the next one while the thread
 * waits for them. */
#ifndef TAKT_PIECE_US
#define TAKT_PIECE_US (2ul * TAKT_START_COST_US)
#endif

/* The same bound for a bottom half, which admission counts for each of its budgets. */
#ifndef TAKT_IO_START_COST_US
#define TAKT_IO_START_COST_US TAKT_START_COST_US
#endif

/* Microseconds of budget that an interrupt of pulseIn() costs the caller: entry, handler, exit.
 */
#ifndef TAKT_PULSE_IRQ_US
#define TAKT_PULSE_IRQ_US 12 /* the pico's */
#endif

/* On the chip address 0 can be read, and writing there is no fault: null semaphores and mutexes are
 * looked for. */
#ifndef TAKT_NULL_READS
#define TAKT_NULL_READS 0
#endif

/* Trace events kept in RAM; 0 compiles tracing out. */
#ifndef TAKT_TRACE_EVENTS
#define TAKT_TRACE_EVENTS 0
#endif

/* Threads may be created at run time (PC, simulation): the table of threads is in RAM. */
#ifndef TAKT_DYNAMIC
#define TAKT_DYNAMIC 0
#endif

/* Bits of a count of ticks in takt/task.h, 8, 16 or 32. With 8 a period has 127 ticks at most, and
 * missed releases are counted modulo 256. */
#ifndef TAKT_TASK_BITS
#define TAKT_TASK_BITS 32
#endif

/* Checks of internal invariants after every mutation (test builds). */
#ifndef TAKT_CHECKS
#define TAKT_CHECKS 0
#endif

#endif
