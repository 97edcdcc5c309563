/*
 * Several CPUs: their start (include/takt/cpus.h). CPU 0 starts the other CPUs, sees which answer,
 * places all threads and gives the lock away; each CPU, on the stack it was started on, then does
 * what a CPU does when a thread has blocked: it looks for another.
 *
 *     CPU 0       start CPU 1, 2, ...   place threads             | dispatches: first thread
 *     CPU 1...              sets itself up, waits for the lock    | the same, or sleeps
 *
 * Budgets are partitioned (admission/partition.c) with what every program knows: C, T and U, and
 * the board's costs and interrupts. Threads without a budget come to the CPU that has fewest of
 * them, of those to the one with the least in budgets.
 */
#include "change/admission.h"
#include "core/cpu.h"

#include <string.h>
#include <takt/io.h>
#include <takt/isr.h>
#include <takt/records.h>

static uint8_t used = 1; /* CPUs 0 to used - 1 have threads, or may */

#if PORT_CPUS > 1

/* So there are budgets, too (core/uses.h). */
_Static_assert(TAKT_DYNAMIC, "several CPUs: the table of threads is in RAM");

/* A CPU that does not answer is the last that is asked: indices have no gaps. */
static void start_others_locked(void)
{
    uint8_t most = port_cpus();
    while (used < most && port_cpu_start(used) == TAKT_OK)
        used++;
}

static void fill_locked(uint8_t cpu, uint8_t count)
{
    __typeof__(takt_core) *core = &takt_locals[cpu].core;
    core->count = count;
    core->ready = 0;
    core->current = TAKT_NOBODY;
    core->context = (uint8_t)(TAKT_PLACES + cpu);
    for (uint8_t place = 0; place < count; place++)
        if (takt_cpu_of[place] == cpu)
            core->ready |= takt_set_of(place);
}

/* The stack that this is on is left for good as soon as the CPU has a thread to run. */
static void __attribute__((noreturn)) begin_locked(void)
{
    takt_begin_cpu_locked();
    takt_dispatch_locked(0);
    takt_fatal(TAKT_FATAL_ASSERT, TAKT_NOBODY, "a CPU came back to where it began");
}

TAKT_RECORDS(const struct takt_pin, pins, "takt_pins");

/* The CPU the program binds it to, TAKT_NO_CPU if it does not. */
static uint8_t pin_of(const struct takt_thread *thread, uint8_t cpus)
{
    for (const struct takt_pin *p = pins_start; p < pins_end; p++)
        if (p->thread == thread)
            return (uint8_t)(p->cpu % cpus);
    return TAKT_NO_CPU;
}

static bool is_io(uint8_t place)
{
    return takt_table[place]->vcpu && (takt_table[place]->vcpu->flags & TAKT_IO_VCPU);
}

/* Parts per million of a CPU that one thread's budget is. */
static uint32_t load_of(uint8_t place)
{
    const struct takt_vcpu *v = takt_table[place]->vcpu;
    if (!v)
        return 0;
    if (!(v->flags & TAKT_IO_VCPU))
        return (uint32_t)((uint64_t)v->budget * 1000000u / v->period);
    const struct takt_io_vcpu *io = (const struct takt_io_vcpu *)v;
    return (uint32_t)((uint64_t)io->share.numerator * 1000000u / io->share.denominator);
}

/* Those among the first `count` threads that have a CPU, looked at. */
static void count_on(uint8_t cpu, uint8_t count, uint32_t *background, uint32_t *load)
{
    *background = *load = 0;
    for (uint8_t place = 0; place < count; place++) {
        if (takt_cpu_of[place] != cpu)
            continue;
        *background += !takt_table[place]->vcpu;
        *load += load_of(place);
    }
}

static uint8_t background_cpu(uint8_t count, uint8_t cpus)
{
    uint8_t best = 0;
    uint32_t fewest = UINT32_MAX, least = UINT32_MAX, background, load;
    for (uint8_t cpu = 0; cpu < cpus; cpu++) {
        count_on(cpu, count, &background, &load);
        if (background < fewest || (background == fewest && load < least)) {
            best = cpu;
            fewest = background;
            least = load;
        }
    }
    return best;
}

uint8_t takt_cpu_for_background(void)
{
    return background_cpu(takt_core.count, takt_cpus());
}

static void place_background(uint8_t count, uint8_t cpus)
{
    for (uint8_t place = 0; place < count; place++) {
        if (takt_table[place]->vcpu)
            continue;
        uint8_t pin = pin_of(takt_table[place], cpus);
        takt_cpu_of[place] = pin != TAKT_NO_CPU ? pin : background_cpu(count, cpus);
    }
}

/* The first `count` threads of the table by what they are: their places, and their pins. */
struct members {
    uint8_t place[TAKT_PLACES], pin[TAKT_PLACES], cpu[TAKT_PLACES];
    uint32_t count;
};

static void collect(struct members *m, bool ios, uint8_t count, uint8_t cpus)
{
    m->count = 0;
    for (uint8_t place = 0; place < count; place++) {
        if (!takt_table[place]->vcpu || is_io(place) != ios)
            continue;
        m->place[m->count] = place;
        m->pin[m->count++] = pin_of(takt_table[place], cpus);
    }
}

static void adopt(const struct members *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        takt_cpu_of[m->place[i]] = m->cpu[i];
}

static void __attribute__((noreturn)) refuse(uint8_t place, uint8_t cpus)
{
    static char why[] = "no room for its budget; CPUs: ..";
    char *digits = strchr(why, '.');
    if (cpus > 9)
        *digits++ = (char)('0' + cpus / 10);
    *digits++ = (char)('0' + cpus % 10);
    *digits = '\0';
    takt_fatal(TAKT_FATAL_CONTEXT, place, why);
}

/* The threads and I/O VCPUs of the table, in order of place, with the shares they begin with. */
static int partition_all(struct takt_partition *partition, uint8_t *needed,
                         uint32_t *refused)
{
    static struct takt_load load;
    for (uint8_t place = 0; TAKT_HAS_IO && place < takt_core.count; place++)
        if (is_io(place))
            takt_io_claim((struct takt_io_vcpu *)takt_table[place]->vcpu);
    int error = takt_admit_load_all(&load);
    partition->set = &load.set;
    partition->lock_ns = takt_lock_ns();
    return error == TAKT_OK ? takt_partition(partition, needed, refused) : error;
}

/* Says on which CPU each of the threads runs, fatal if there is no room; how many are used. */
static uint8_t place_threads(uint8_t count, uint8_t cpus)
{
    static struct members mains, ios; /* the stack that this is on need not be large */
    uint32_t refused = 0;
    uint8_t needed = cpus;
    memset(takt_cpu_of, TAKT_NO_CPU, sizeof takt_cpu_of);
    collect(&mains, false, count, cpus);
    collect(&ios, true, count, cpus);
    struct takt_partition partition = {NULL, cpus, mains.pin, ios.pin, mains.cpu, ios.cpu, 0};
    if (partition_all(&partition, &needed, &refused) != TAKT_OK) {
        bool is_main = refused < mains.count;
        refuse(is_main ? mains.place[refused] : ios.place[refused - mains.count], cpus);
    }
    adopt(&mains);
    adopt(&ios);
    place_background(count, needed);
    return needed;
}

void takt_boot_locked(uint8_t count)
{
    takt_core.count = count;
    start_others_locked();
    used = place_threads(count, used); /* the rest sleeps: takt_cpu_main() */
    for (uint8_t cpu = 0; cpu < used; cpu++)
        fill_locked(cpu, count);
    for (uint8_t place = count; place-- > 0;)
        takt_prepare_stack(place);
    takt_note_locked(TAKT_EV_START, TAKT_NOBODY, count);
    for (uint8_t place = 0; place < count; place++)
        takt_note_locked(TAKT_EV_PLACED, place, takt_cpu_of[place]);
    begin_locked();
}

void takt_cpu_main(void)
{
    port_irq_save();
    while (port_cpu() >= used) /* it answers too late, or is not needed */
        port_idle();
    begin_locked();
}

void takt_kick_isr(void)
{
    takt_isr_enter();
    if (!takt_cpu.busy)
        takt_cpu.asked = true;
    port_switch_from_isr(); /* the dispatcher looks for itself */
    takt_isr_exit(TAKT_KICK_SOURCE);
}

#endif

uint8_t takt_cpus(void)
{
    return used;
}

uint8_t takt_cpu_at(uint8_t place)
{
    return place < takt_core.count ? takt_cpu_index(place) : TAKT_NO_CPU;
}

uint8_t takt_cpu_here(void)
{
    return takt_this_cpu();
}
