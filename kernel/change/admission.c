/*
 * Admission of changes at run time: the running program's budgets and I/O shares, with one of them
 * changed or added, put to the same exact test as at build time (admit.c). What the build knows
 * beside them is in takt_admit_board, which a board defines (interrupt rates, costs), and in
 * admission_held.c (of the program).
 */
#include "admission.h"

#include "core/cpu.h"

#include <takt/admit.h>
#include <takt/vcpu.h>

#if PORT_CPUS == 1
/* Weak, but not defined here: avr-gcc 5.4 takes the value of a weak constant it sees for granted.
 */
extern const struct takt_admit_set takt_admit_board __attribute__((weak)); /* in flash */

static uint32_t blocking_us(uint8_t place)
{
    uint32_t us = 0;
    if (place < TAKT_PLACES)
        TAKT_FLASH_COPY(&us, &takt_held_us[place]);
    return us;
}

static uint32_t overhead_us(void)
{
    uint32_t us;
    TAKT_FLASH_COPY(&us, &takt_io_overhead_us);
    return us > 0 ? us : TAKT_IO_OVERHEAD_US;
}
#else
static inline uint32_t overhead_us(void)
{
    return TAKT_IO_OVERHEAD_US;
}

static inline uint32_t blocking_us(uint8_t place)
{
    (void)place;
    return takt_blocking_us();
}
#endif

/* As many as there can be: it is on the stack of the caller. */
enum {
    MAINS = TAKT_PLACES < TAKT_ADMIT_THREADS ? TAKT_PLACES : TAKT_ADMIT_THREADS,
    IOS = TAKT_ADMIT_IO * MAINS / TAKT_ADMIT_THREADS,
};

struct workload {
    struct takt_admit_thread threads[MAINS];
    struct takt_admit_io ios[IOS];
    uint32_t count, io_count;
};

static void add_main(struct workload *w, uint8_t place, uint32_t budget, uint32_t period)
{
    if (w->count < MAINS)
        w->threads[w->count] =
            (struct takt_admit_thread){budget, period, blocking_us(place), 0, 1};
    w->count++;
}

static void add_io(struct workload *w, struct takt_io_fraction u)
{
    if (w->io_count < IOS)
        w->ios[w->io_count] = (struct takt_admit_io){u.numerator, u.denominator, 0, overhead_us()};
    w->io_count++;
}

/* Is the thread at a place one of those to be looked at? */
static inline bool counts(uint8_t place, uint8_t cpu)
{
    return takt_cpu_index(place) == cpu;
}

/* The thread as it is. */
static void add(struct workload *w, const struct takt_thread *thread)
{
    const struct takt_vcpu *v = TAKT_FLASH_POINTER(&thread->vcpu);
    if (v && (v->flags & TAKT_IO_VCPU)) {
        const struct takt_io_vcpu *io = (const struct takt_io_vcpu *)v;
        add_io(w, io->most);
    } else if (v) {
        add_main(w, takt_place_of(thread), v->budget, takt_shortest_period(v));
    }
}

/* As a set, or TAKT_ENOSPACE. */
static int make_set(struct takt_admit_set *set, const struct workload *w)
{
#if PORT_CPUS > 1
    takt_admit_known(set);
#else
    *set = (struct takt_admit_set){.costs = {.margin_us = TAKT_BUDGET_MARGIN_US}};
    if (&takt_admit_board)
        TAKT_FLASH_COPY(set, &takt_admit_board);
    set->more_irqs = takt_own_irqs;
    set->more_irq_count = TAKT_OWN_IRQS;
#endif
    if (w->count > MAINS || w->io_count > IOS)
        return TAKT_ENOSPACE;
    set->threads = w->threads;
    set->thread_count = w->count;
    set->ios = w->ios;
    set->io_count = w->io_count;
    return TAKT_OK;
}

static int verdict(struct workload *w)
{
    struct takt_admit_set set;
    int error = make_set(&set, w);
#if PORT_CPUS > 1
    if (error == TAKT_OK)
        takt_partition_waits(&set, w->threads, takt_cpus(), takt_lock_ns());
#endif
    return error == TAKT_OK ? takt_admit_exact(&set, NULL) : error;
}

/* Would it fit on that CPU? */
static inline int admit_on(const struct takt_thread *thread, uint8_t place, uint8_t cpu)
{
    struct workload w = {.count = 0};
    for (uint8_t i = 0; i <= takt_core.count; i++) {
        if (i == place)
            add(&w, thread);
        if (i < takt_core.count && counts(i, cpu))
            add(&w, takt_descriptor(i));
    }
    return verdict(&w);
}

#if PORT_CPUS > 1
#pragma weak takt_io_claim

/* What an I/O VCPU begins with has not been set yet. */
static void add_at_start(struct workload *w, const struct takt_thread *thread)
{
    if (thread->vcpu && (thread->vcpu->flags & TAKT_IO_VCPU))
        takt_io_claim((struct takt_io_vcpu *)thread->vcpu);
    add(w, thread);
}

int takt_admit_partition(const struct takt_partition *partition, uint8_t *used,
                         uint32_t *refused)
{
    struct workload w = {.count = 0};
    struct takt_admit_set set;
    struct takt_partition whole = *partition;
    for (uint8_t place = 0; place < takt_core.count; place++)
        add_at_start(&w, takt_descriptor(place));
    int error = make_set(&set, &w);
    whole.set = &set;
    whole.lock_ns = takt_lock_ns();
    return error == TAKT_OK ? takt_partition(&whole, used, refused) : error;
}
#endif

#if TAKT_DYNAMIC
#pragma weak takt_pipes_keep

/* The verdict, unless a pipe's promise would be broken. */
static int keep(const struct takt_change *change, int verdict)
{
    return takt_pipes_keep ? takt_pipes_keep(change, verdict) : verdict;
}
#else
#define keep(change, verdict) ((void)(change), (verdict))
#endif

int takt_admit_joining(const struct takt_thread *thread, uint8_t place)
{
    int result = TAKT_EADMIT;
    if (!TAKT_FLASH_POINTER(&thread->vcpu))
        return PORT_CPUS > 1 ? takt_cpu_for_background() : TAKT_OK;
    if (PORT_CPUS == 1) {
        struct takt_change change = {.joins = thread, .at = place};
        return keep(&change, admit_on(thread, place, 0));
    }
    for (uint8_t cpu = 0; cpu < takt_cpus() && result < 0; cpu++) {
        struct takt_change change = {.joins = thread, .at = place, .cpu = cpu};
        result = keep(&change, admit_on(thread, place, cpu));
        if (result == TAKT_OK)
            result = cpu;
    }
    return result;
}

int takt_admit_budget(uint8_t place, uint32_t c_us)
{
    struct workload w = {.count = 0};
    for (uint8_t i = 0; i < takt_core.count; i++)
        if (i == place)
            add_main(&w, i, c_us, takt_shortest_period(TAKT_OF(i, vcpu)));
        else if (counts(i, takt_cpu_index(place)))
            add(&w, takt_descriptor(i));
    struct takt_change change = {.budget = c_us};
    change.vcpu = TAKT_OF(place, vcpu);
    change.period = takt_shortest_period(change.vcpu);
    return keep(&change, verdict(&w));
}

int takt_admit_share(const struct takt_io_vcpu *io, struct takt_io_fraction share)
{
    struct workload w = {.count = 0};
    for (uint8_t i = 0; i < takt_core.count; i++)
        if (TAKT_OF(i, vcpu) == &io->server)
            add_io(&w, share);
        else if (counts(i, takt_cpu_index(io->place)))
            add(&w, takt_descriptor(i));
    struct takt_change change = {.io = io, .share = share};
    return keep(&change, verdict(&w));
}

uint32_t takt_longest_period(void)
{
    uint32_t longest = 0;
    for (uint8_t i = 0; i < takt_core.count; i++) {
        const struct takt_vcpu *v = TAKT_OF(i, vcpu);
        if (v && !(v->flags & TAKT_IO_VCPU) && v->period > longest)
            longest = v->period;
    }
    return longest;
}
