/*
 * What runs, as a set for admission: the threads and I/O VCPUs of some CPUs, with one change made,
 * and what is known beside them.
 *
 *     threads     C, T and U of the table; of an I/O VCPU the largest share it has had
 *     board       takt_admit_board (board/NAME/costs.c): what the kernel costs, interrupts
 *     program     one CPU: sections and interrupts as the build has written them into the image
 *                 (tools/takt/admit/known.py); several: what can be seen from here, which the build
 *                 counts in the same way (tools/takt/admit/verdicts.py): both admit the same
 */
#include "admission.h"

#include "core/cpu.h"

#include <takt/pipe.h>
#include <takt/records.h>

/* Weak: programs on the host that are no board's have none. Not defined here: avr-gcc 5.4 takes the
 * value of a weak constant it sees for granted. */
extern const struct takt_admit_set takt_admit_board __attribute__((weak)); /* in flash */

static void take_board(struct takt_admit_set *set)
{
    *set = (struct takt_admit_set){.costs = {.margin_us = TAKT_BUDGET_MARGIN_US}};
    if (&takt_admit_board)
        TAKT_FLASH_COPY(set, &takt_admit_board);
}

#if PORT_CPUS > 1

#define ONCE_US ((uint32_t)1 << 30) /* separation of what comes once */
#define IRQS    16u

/* Weak: entry of threads that handle interrupts, in programs that have such. */
void takt_arduino_handler(void *arg) __attribute__((weak));

extern const uint32_t takt_admit_lock_ns; /* the board's */
TAKT_RECORDS(const struct takt_pipe_record, pipes, "takt_pipes");

uint32_t takt_lock_ns(void)
{
    return takt_admit_lock_ns;
}

/* How long a thread may be held up: by a section, and by wake-ups of threads without a budget. */
static uint32_t blocking_us(uint8_t place)
{
    uint32_t background = 0;
    (void)place;
    for (uint8_t i = 0; i < takt_core.count; i++)
        background += !takt_table[i]->vcpu;
    return (takt_lock_ns() + 999u) / 1000u +
           takt_admit_wakes_us(&takt_admit_board.costs, background);
}

static inline uint32_t overhead_us(void)
{
    return TAKT_IO_OVERHEAD_US;
}

static void add_irq(struct takt_admit_irq *irqs, uint32_t *count, struct takt_admit_irq irq)
{
    TAKT_ASSERT(*count < IRQS);
    irqs[(*count)++] = irq;
}

/* Is it the first pipe of its endpoint? */
static bool first_of_end(const struct takt_pipe_record *record)
{
    for (const struct takt_pipe_record *r = pipes_start; r < record; r++)
        if (r->end == record->end && r->attrs == record->attrs)
            return false;
    return true;
}

/* Of endpoints without a bottom half. */
static void add_pipes(struct takt_admit_irq *irqs, uint32_t *count)
{
    for (const struct takt_pipe_record *r = pipes_start; r < pipes_end; r++) {
        uint32_t apart_us = r->attrs->apart_ns < 1000u ? 1 : r->attrs->apart_ns / 1000u;
        if (!r->end->bottom && r->attrs->apart_ns > 0 && first_of_end(r))
            add_irq(irqs, count, (struct takt_admit_irq){r->attrs->top_ns, apart_us, 0});
    }
}

/* A decision for each handler, before anything is charged. */
static void add_handlers(struct takt_admit_irq *irqs, uint32_t *count, uint32_t switch_ns)
{
    uint32_t handlers = 0;
    for (uint8_t place = 0; place < takt_core.count; place++)
        handlers += takt_arduino_handler && takt_table[place]->entry == takt_arduino_handler;
    if (handlers > 0)
        add_irq(irqs, count, (struct takt_admit_irq){handlers * switch_ns, ONCE_US, 0});
}

static void take_known(struct takt_admit_set *set)
{
    static struct takt_admit_irq irqs[IRQS]; /* always the same */
    uint32_t count = 0;
    take_board(set);
    for (uint32_t i = 0; i < set->irq_count; i++)
        add_irq(irqs, &count, set->irqs[i]);
    add_handlers(irqs, &count, set->costs.switch_ns);
    add_pipes(irqs, &count);
    set->irqs = irqs;
    set->irq_count = count;
}

#else

/* The build fills these into the image: what is read goes through filled_in(), so that the compiler
 * does not take them for granted. */
const uint32_t takt_held_us[TAKT_PLACES] TAKT_FLASH = {0};
const struct takt_admit_irq takt_own_irqs[TAKT_OWN_IRQS] TAKT_FLASH = {
    {0, 1, 0}, {0, 1, 0}, {0, 1, 0}};
const uint32_t takt_io_overhead_us TAKT_FLASH = 0;

static uint32_t filled_in(const uint32_t *at)
{
    uint32_t value;
    __asm__("" : "+r"(at));
    TAKT_FLASH_COPY(&value, at);
    return value;
}

static uint32_t blocking_us(uint8_t place)
{
    return place < TAKT_PLACES ? filled_in(&takt_held_us[place]) : 0;
}

static uint32_t overhead_us(void)
{
    uint32_t us = filled_in(&takt_io_overhead_us);
    return us > 0 ? us : TAKT_IO_OVERHEAD_US;
}

static void take_known(struct takt_admit_set *set)
{
    take_board(set);
    set->more_irqs = takt_own_irqs;
    set->more_irq_count = TAKT_OWN_IRQS;
}

#endif

static int add_io(struct takt_load *load, const struct takt_io_vcpu *io,
                  const struct takt_change *change)
{
    struct takt_io_fraction u = io == change->io ? change->share : io->most;
    if (load->set.io_count == TAKT_LOAD_IOS)
        return TAKT_ENOSPACE;
    load->ios[load->set.io_count] =
        (struct takt_admit_io){u.numerator, u.denominator, 0, overhead_us()};
    return (int)load->set.io_count++;
}

/* Adds a thread on its CPU; its index, or TAKT_ENOSPACE. */
static int add(struct takt_load *load, const struct takt_thread *thread,
               const struct takt_change *change)
{
    const struct takt_vcpu *v = TAKT_FLASH_POINTER(&thread->vcpu);
    bool changed = v == change->vcpu;
    if (v->flags & TAKT_IO_VCPU)
        return add_io(load, (const struct takt_io_vcpu *)v, change);
    if (load->set.thread_count == TAKT_LOAD_THREADS)
        return TAKT_ENOSPACE;
    load->threads[load->set.thread_count] = (struct takt_admit_thread){
        changed ? change->budget : v->budget, changed ? change->period : takt_shortest_period(v),
        blocking_us(takt_place_of(thread)), 0, 1};
    return (int)load->set.thread_count++;
}

#define ALL_CPUS UINT32_MAX

static inline bool is_among(uint32_t cpus, uint8_t cpu)
{
    return PORT_CPUS == 1 || cpus == ALL_CPUS || (cpus >> cpu & 1u) != 0;
}

static inline void note_index(struct takt_load *load, uint8_t place, int index)
{
#if TAKT_DYNAMIC
    load->index[place] = (uint8_t)index;
#else
    (void)load, (void)place, (void)index;
#endif
}

static inline void note_joined(struct takt_load *load, int index)
{
#if TAKT_DYNAMIC
    load->joined = (uint8_t)index;
#else
    (void)load, (void)index;
#endif
}

static int collect(struct takt_load *load, uint32_t cpus, const struct takt_change *change)
{
    int result = 0;
    take_known(&load->set);
    load->set.threads = load->threads;
    load->set.ios = load->ios;
    load->set.thread_count = load->set.io_count = 0;
    for (uint8_t place = 0; place <= takt_core.count && result >= 0; place++) {
        if (change->joins && place == change->at && is_among(cpus, change->cpu)) {
            result = add(load, change->joins, change);
            note_joined(load, result);
        }
        if (result >= 0 && place < takt_core.count && TAKT_OF(place, vcpu) &&
            is_among(cpus, takt_cpu_index(place))) {
            result = add(load, takt_descriptor(place), change);
            note_index(load, place, result);
        }
    }
    return result < 0 ? result : TAKT_OK;
}

int takt_admit_load(struct takt_load *load, uint32_t cpus, const struct takt_change *change)
{
    int result = collect(load, cpus, change);
#if PORT_CPUS > 1
    takt_partition_waits(&load->set, load->threads, takt_cpus(), takt_lock_ns());
#endif
    return result;
}

#if PORT_CPUS > 1
int takt_admit_load_all(struct takt_load *load)
{
    static const struct takt_change nothing;
    return collect(load, ALL_CPUS, &nothing);
}
#endif
