/*
 * Simulation port: a Takt program as part of a host process, in virtual time.
 *
 * Threads are real C code on real stacks, but time only passes where they say so: sim_consume()
 * is "the calling thread computes for so long". Interrupts arrive while time passes. Everything
 * is deterministic. One simulation per process at a time.
 */
#ifndef TAKT_PORT_SIM_H
#define TAKT_PORT_SIM_H

#include <stdbool.h>
#include <stdint.h>

enum sim_stop {
    SIM_TIME = 0,  /* reached the time asked for */
    SIM_HALT = 1,  /* fatal error: sim_fatal_line() */
    SIM_ASLEEP = 2, /* nothing will ever happen again */
    SIM_ASKED = 3, /* sim_leave() was called */
};

/* Forgets everything; the kernel's clock will read `clock` at virtual time 0. Host context. */
void sim_reset(uint32_t clock);

/* Runs `boot` (which must end in takt_start() or takt_boot_locked()) on first call after a reset,
 * and goes on until virtual time `until` (us). Host context. */
enum sim_stop sim_run(void (*boot)(void), uint64_t until);

/* Virtual time, us since the reset. Any context. */
uint64_t sim_now(void);

/* The caller computes for `us`; other threads and interrupts may come in between. Threads,
 * interrupt handlers (uninterrupted there). */
void sim_consume(uint32_t us);

/* Called when a thread reads the clock, does nothing unless defined elsewhere: a board makes it
 * cost time, or a thread that waits by looking at the clock would stop it. */
void sim_clock_read(void);

/* An interrupt: calls fn(arg) in interrupt context at virtual time `at`, or as soon after as
 * interrupts are on. Any context. False when too many are outstanding. */
bool sim_interrupt_at(uint64_t at, void (*fn)(void *), void *arg);

/* Makes sim_run() return SIM_ASKED at this point; the next sim_run() goes on from it. Threads. */
void sim_leave(void);

/* How often since the reset the alarm has rung, and the dispatcher has done all its work: not what
 * usual switches need, done at once. Any context. */
struct sim_counts {
    uint32_t alarms, dispatches;
};
struct sim_counts sim_counted(void);

/* What the program printed when it died. */
const char *sim_fatal_line(void);

#endif
