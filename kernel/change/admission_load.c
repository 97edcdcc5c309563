/*
 * What runs, as sets for admission that knows more than the exact test: tpipe.c.
 */
#include "admission.h"

#include "core/cpu.h"

#include <takt/admit.h>

#if TAKT_DYNAMIC

#if PORT_CPUS == 1
extern const struct takt_admit_set takt_admit_board __attribute__((weak));

static inline uint32_t takt_blocking_us(void)
{
    return 0;
}

static inline uint32_t takt_lock_ns(void)
{
    return 0;
}

static void takt_admit_known(struct takt_admit_set *set)
{
    *set = (struct takt_admit_set){.costs = {.margin_us = TAKT_BUDGET_MARGIN_US}};
    if (&takt_admit_board)
        *set = takt_admit_board;
}
#endif

/* Adds a thread on its CPU; its index, or TAKT_ENOSPACE. */
static int add(struct takt_load *load, const struct takt_thread *thread,
               const struct takt_change *change)
{
    const struct takt_vcpu *v = thread->vcpu;
    const struct takt_io_vcpu *io = (const struct takt_io_vcpu *)v;
    if (v->flags & TAKT_IO_VCPU) {
        struct takt_io_fraction u = io == change->io ? change->share : io->most;
        if (load->set.io_count == TAKT_ADMIT_IO)
            return TAKT_ENOSPACE;
        load->ios[load->set.io_count] =
            (struct takt_admit_io){u.numerator, u.denominator, 0, TAKT_IO_OVERHEAD_US};
        return (int)load->set.io_count++;
    }
    if (load->set.thread_count == TAKT_ADMIT_THREADS)
        return TAKT_ENOSPACE;
    bool changed = v == change->vcpu;
    load->threads[load->set.thread_count] = (struct takt_admit_thread){
        changed ? change->budget : v->budget, changed ? change->period : takt_shortest_period(v),
        takt_blocking_us(), 0, 1};
    return (int)load->set.thread_count++;
}

static inline bool is_among(uint32_t cpus, uint8_t cpu)
{
    return (cpus >> cpu & 1u) != 0;
}

int takt_admit_load(struct takt_load *load, uint32_t cpus, const struct takt_change *change)
{
    int result = 0;
    *load = (struct takt_load){.joined = 0};
    takt_admit_known(&load->set);
    load->set.threads = load->threads;
    load->set.ios = load->ios;
    load->set.thread_count = load->set.io_count = 0;
    for (uint8_t place = 0; place <= takt_core.count && result >= 0; place++) {
        if (change->joins && place == change->at && is_among(cpus, change->cpu)) {
            result = add(load, change->joins, change);
            load->joined = (uint8_t)result;
        }
        if (result >= 0 && place < takt_core.count && takt_table[place]->vcpu &&
            is_among(cpus, takt_cpu_index(place))) {
            result = add(load, takt_table[place], change);
            load->index[place] = (uint8_t)result;
        }
    }
    if (PORT_CPUS > 1)
        takt_partition_waits(&load->set, load->threads, takt_cpus(), takt_lock_ns());
    return result < 0 ? result : TAKT_OK;
}

#else
typedef int takt_load_is_for_dynamic_programs;
#endif
