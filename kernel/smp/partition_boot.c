/*
 * The start of a program on several CPUs: which thread runs on which CPU. Budgets are partitioned
 * (admission/partition.c) with what every program knows: C, T and U, and the board's costs and
 * interrupts. Threads without a budget come to the CPU that has fewest of them, of those to the one
 * with the least in budgets.
 */
#include "change/admission.h"
#include "core/cpu.h"

#include <string.h>
#include <takt/io.h>

#if PORT_CPUS > 1

extern const struct takt_pin pins_start[] __asm__("__start_takt_pins");
extern const struct takt_pin pins_end[] __asm__("__stop_takt_pins");
#pragma weak pins_start
#pragma weak pins_end

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
    return io->share.numerator * 1000000u / io->share.denominator;
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

uint8_t takt_place_threads(uint8_t count, uint8_t cpus)
{
    static struct members mains, ios; /* the stack that this is on need not be large */
    uint32_t refused = 0;
    uint8_t used = cpus;
    memset(takt_cpu_of, TAKT_NO_CPU, sizeof takt_cpu_of);
    collect(&mains, false, count, cpus);
    collect(&ios, true, count, cpus);
    struct takt_partition partition = {NULL, cpus, mains.pin, ios.pin, mains.cpu, ios.cpu, 0};
    if (takt_admit_partition(&partition, &used, &refused) != TAKT_OK)
        refuse(refused < mains.count ? mains.place[refused] : ios.place[refused - mains.count], cpus);
    adopt(&mains);
    adopt(&ios);
    place_background(count, used);
    return used;
}

#else
typedef int takt_one_cpu_runs_all;
#endif
