/*
 * Build-time scalars of the kernel. Each may be overridden with -D; nothing else is configurable
 * by the preprocessor: optional features are separate files that link only when used.
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

/* Replenishments a Main VCPU can hold. More wake-ups than this within one period are merged
 * (delayed, never lost); see kernel/vcpu_main.c. */
#ifndef TAKT_REPLENISHMENTS
#define TAKT_REPLENISHMENTS 8
#endif

/* Microseconds the kernel adds to every budget so that the loop itself gets at least C although
 * budget ends are noticed late by up to this much and the lateness is paid back. */
#ifndef TAKT_BUDGET_MARGIN_US
#define TAKT_BUDGET_MARGIN_US 5
#endif

/* What is added indeed: nothing where use is accounted by a finer clock (kernel/use.h); admission
 * counts the margin all the same, for ends that are noticed late. */
#ifdef PORT_FINE
#define TAKT_BUDGET_MORE_US 0
#else
#define TAKT_BUDGET_MORE_US TAKT_BUDGET_MARGIN_US
#endif

/* Microseconds of budget that a start costs beyond the first in a period: what the kernel does on
 * the board for a thread that wakes or gets budget back, and for its going (two switches and two
 * alarms). So waking often is paid for by who does it. */
#ifndef TAKT_START_COST_US
#define TAKT_START_COST_US 0
#endif

/* The same for a bottom half, charged to its I/O VCPU at the end of each budget or wait. */
#ifndef TAKT_IO_START_COST_US
#define TAKT_IO_START_COST_US TAKT_START_COST_US
#endif

/* Microseconds of budget that an interrupt of pulseIn() costs who measures: entry, handler, exit. */
#ifndef TAKT_PULSE_IRQ_US
#define TAKT_PULSE_IRQ_US 10 /* the pico's */
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
