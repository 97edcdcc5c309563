/*
 * What is one CPU's and what all CPUs share. Included by cpu.h; private to kernel/.
 *
 * With one CPU takt_core, takt_locks, takt_timers and takt_cpu are variables, TAKT_AT() is one of
 * them and nothing here costs anything. With several (PORT_CPUS > 1) each name is that of the CPU
 * that runs the code, and a thread's is TAKT_AT(its place, ...). Then
 *
 *   - all CPUs share the table of threads, semaphores, mutexes and the trace, under the kernel's
 *     lock (takt/kernel_lock.h), which port_irq_save() takes
 *   - what is a CPU's is changed by itself alone, with its interrupts off: also the budgets of its
 *     threads, and so its dispatcher, and the accounting of its handlers, do without the lock. The
 *     exceptions, under the lock: other CPUs add to `woken`, `raised` and `calls` and kick it. And
 *     what wakes a thread must find it either ready or waiting: it stops being ready under the lock
 *   - what must be done to another CPU's budgets is sent there as a cross-call
 */
#ifndef TAKT_KERNEL_CPUS_H
#define TAKT_KERNEL_CPUS_H

#include "own.h"

#include <takt/cpus.h>

/* Done by another CPU's dispatcher, between two of its steps. Interrupts are off. */
struct takt_cross_call {
    void (*run_locked)(struct takt_cross_call *call);
#if PORT_CPUS > 1
    struct takt_cross_call *next;
    bool done;
#endif
};

#if PORT_CPUS > 1

struct takt_local {
    struct takt_core core;
    struct takt_locks locks;
    struct takt_timers timers;
    struct takt_cpu cpu;
    struct takt_cross_call *calls;
} __attribute__((aligned(64)));

extern struct takt_local takt_locals[PORT_CPUS];
extern uint8_t takt_cpu_of[TAKT_PLACES];

/* Hide the tags of the same names: where a pointer to one is wanted, __typeof__ names its type. */
#define takt_core            takt_locals[port_cpu()].core
#define takt_locks           takt_locals[port_cpu()].locks
#define takt_timers          takt_locals[port_cpu()].timers
#define takt_cpu             takt_locals[port_cpu()].cpu
#define TAKT_AT(place, part) takt_locals[takt_cpu_of[place]].part
#define TAKT_ON(cpu_, part)  takt_locals[cpu_].part

/* Until its first thread runs a CPU is on a stack of its own, which has a place behind all threads.
 */
#define TAKT_TCBS (TAKT_PLACES + PORT_CPUS)

static inline uint8_t takt_cpu_index(uint8_t place)
{
    return takt_cpu_of[place];
}

static inline void takt_set_cpu(uint8_t place, uint8_t cpu)
{
    takt_cpu_of[place] = cpu;
}

static inline uint8_t takt_this_cpu(void)
{
    return port_cpu();
}

static inline bool takt_here(uint8_t place)
{
    return takt_cpu_of[place] == port_cpu();
}

/* Lets another CPU do the call; all other CPUs, one after the other. Waits for that with interrupts
 * on: for what keeps the CPU from its dispatcher, which is its handlers and one section of the
 * kernel. Thread context. */
void takt_cross_call(uint8_t cpu, struct takt_cross_call *call);
void takt_cross_call_others(struct takt_cross_call *call);
void takt_run_cross_calls_locked(void);

/* The CPU of that thread has something to look at. */
static inline void takt_kick_locked(uint8_t place)
{
    if (!takt_here(place))
        port_kick(takt_cpu_of[place]);
}

static inline bool takt_cross_calls_wait(void)
{
    return TAKT_SEEN(takt_locals[port_cpu()].calls) != NULL;
}

#else

extern struct takt_core takt_core;
extern struct takt_locks takt_locks;
extern struct takt_timers takt_timers;
extern struct takt_cpu takt_cpu;

#define TAKT_AT(place, part) takt_##part
#define TAKT_ON(cpu_, part)  (*((void)(cpu_), &takt_##part))
#define TAKT_TCBS            TAKT_PLACES

static inline uint8_t takt_cpu_index(uint8_t place)
{
    (void)place;
    return 0;
}

static inline void takt_set_cpu(uint8_t place, uint8_t cpu)
{
    (void)place, (void)cpu;
}

static inline uint8_t takt_this_cpu(void)
{
    return 0;
}

static inline bool takt_here(uint8_t place)
{
    (void)place;
    return true;
}

static inline void takt_kick_locked(uint8_t place)
{
    (void)place;
}

static inline bool takt_cross_calls_wait(void)
{
    return false;
}

static inline void takt_cross_call(uint8_t cpu, struct takt_cross_call *call)
{
    (void)cpu, (void)call;
}

static inline void takt_cross_call_others(struct takt_cross_call *call)
{
    (void)call;
}

static inline void takt_run_cross_calls_locked(void)
{
}

#endif

/* Lets that CPU do the call, which may be this one. Thread context, interrupts on. */
static inline void takt_do_on(uint8_t cpu, struct takt_cross_call *call)
{
    if (cpu != takt_this_cpu()) {
        takt_cross_call(cpu, call);
        return;
    }
    void (*run_locked)(struct takt_cross_call *) = call->run_locked; /* still known here */
    port_irq_t irq = port_irq_save();
    run_locked(call);
    port_irq_restore(irq);
}

/* All CPUs but this one stand still outside of any work on threads, and go on. Thread context,
 * interrupts on; one thread at a time (create.c). */
void takt_hold_others(void);
void takt_let_others_go(void);

/* The outermost mutex is being locked or has been unlocked: sections are one at a time, see
 * mutex.c. */
void takt_section_enter_locked(void);
void takt_section_leave_locked(void);

/* What a CPU does before it looks for its first thread: budgets. */
void takt_begin_cpu_locked(void);

/* Where a thread without a budget would run now (smp/cpus.c). */
uint8_t takt_cpu_for_background(void);

#endif
