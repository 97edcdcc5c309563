/*
 * Admission of changes at run time. Private to kernel/.
 */
#ifndef TAKT_KERNEL_ADMISSION_H
#define TAKT_KERNEL_ADMISSION_H

#include "core/cpu.h"

#include <takt/admit.h>
#include <takt/io.h>
#include <takt/partition.h>
#include <takt/periodic.h>

/* Per budget of an I/O VCPU: a start, a late end, and as much again for the top halves before. */
#define TAKT_IO_OVERHEAD_US (2 * TAKT_IO_START_COST_US + TAKT_BUDGET_MARGIN_US)

/*
 * One change of what is admitted at a time, from being judged until it is made: the caller waits
 * for its turn, so that no thread is held up while admission computes. Where threads can be created
 * no place changes meanwhile, and the caller may sleep. Thread, may block.
 */
void takt_turn_take(void);
void takt_turn_give(void);

/* In flash; the build writes them into the image, on boards with one CPU whose code it analyses. By
 * place: how long a thread may be held up by sections, with the longest that the kernel has
 * interrupts off, and by what comes of pins before anything is charged; */
extern const uint32_t takt_held_us[TAKT_PLACES];
/* interrupts of pipes' endpoints; */
enum { TAKT_OWN_IRQS = 3 };
extern const struct takt_admit_irq takt_own_irqs[TAKT_OWN_IRQS];
/* what an I/O VCPU is charged beside each of its budgets; 0: TAKT_IO_OVERHEAD_US. */
extern const uint32_t takt_io_overhead_us;

#if TAKT_DYNAMIC
/* What changes do between these: create.c, rebudget.c, vcpu_io.c. */
int takt_create_in_turn(const struct takt_thread *thread);
int takt_budget_in_turn(uint8_t place, uint32_t c_us);
int takt_share_in_turn(struct takt_io_vcpu *io, struct takt_io_fraction share);
#endif

/* Would the set be schedulable if `thread` joined it at `place`? The first CPU on which it would,
 * TAKT_EADMIT or TAKT_EINVAL; there always is one for a thread without a budget. */
int takt_admit_joining(const struct takt_thread *thread, uint8_t place);

/* And if the thread at `place` had a budget of c_us? */
int takt_admit_budget(uint8_t place, uint32_t c_us);

/* And if an I/O VCPU had this share? */
int takt_admit_share(const struct takt_io_vcpu *io, struct takt_io_fraction share);

/* Before the start: sets the share that an I/O VCPU begins with. vcpu_io.c */
void takt_io_claim(struct takt_io_vcpu *io);

/* What may be different from what runs: the budget and period of a VCPU, the share of an I/O VCPU,
 * a thread that joins. */
struct takt_change {
    const struct takt_vcpu *vcpu;
    uint32_t budget, period;
    const struct takt_io_vcpu *io;
    struct takt_io_fraction share;
    const struct takt_thread *joins;
    uint8_t at;  /* its place */
    uint8_t cpu; /* and its CPU */
    const struct takt_thread *expected; /* its packets come, but it takes no time yet */
};

/* As many as there can be: a load may be on the stack of the caller. */
enum {
    TAKT_LOAD_THREADS = TAKT_PLACES < TAKT_ADMIT_THREADS ? TAKT_PLACES : TAKT_ADMIT_THREADS,
    TAKT_LOAD_IOS = TAKT_ADMIT_IO * TAKT_LOAD_THREADS / TAKT_ADMIT_THREADS,
};

/* What runs on some CPUs, as a set, and the index in it of each place: of threads and of I/O VCPUs.
 */
struct takt_load {
    struct takt_admit_thread threads[TAKT_LOAD_THREADS];
    struct takt_admit_io ios[TAKT_LOAD_IOS];
    struct takt_admit_set set;
#if TAKT_DYNAMIC
    uint8_t index[TAKT_PLACES];
    uint8_t joined; /* index of the thread that joins */
#endif
};

/* Fills in the load of a set of CPUs, the change made; of several, all that runs on any of them.
 * TAKT_OK, TAKT_ENOSPACE. load.c */
int takt_admit_load(struct takt_load *load, uint32_t cpus, const struct takt_change *change);

#if PORT_CPUS > 1
/* The same of the whole program as it is, for partitioning: without waits for other CPUs. And the
 * longest that a CPU holds the kernel's lock. */
int takt_admit_load_all(struct takt_load *load);
uint32_t takt_lock_ns(void);
#endif

/* Where a thread that joins would come to be, with the period that is changed. create.c */
uint8_t takt_place_for(const struct takt_thread *thread, const struct takt_change *change);

/* pipe_promise.c, with TAKT_HAS_PROMISES: what becomes of a change that the exact test has
 * judged so, for the pipes' sake; it has been made, their bounds follow. In turn. */
int takt_pipes_keep(const struct takt_change *change, int verdict);
void takt_pipes_follow(void);

/* The thread at a place has another period, which admission has granted. In turn; waits for the
 * longest period of all if it is shorter. rebudget.c */
void takt_retime(uint8_t place, uint32_t period);

/* What admission counts: releases by a reference clock may come 1 % faster (reference.c). */
static inline uint32_t takt_shortest_period(const struct takt_vcpu *v)
{
    uint32_t period = v->period;
    if (!TAKT_HAS_REFERENCE || !(v->flags & TAKT_PERIODIC_VCPU))
        return period;
    if (((const struct takt_periodic *)v)->beat.period)
        period = ((const struct takt_periodic *)v)->beat.period; /* v's is that of just now */
    return takt_admit_shortest_us(period);
}

/* The longest period of all threads with a Main VCPU, us. */
uint32_t takt_longest_period(void);

#endif
