/*
 * Threads created at run time, where the table of threads is in RAM (TAKT_DYNAMIC: PC,
 * simulation). A new thread is inserted at its place in the order; each thread after it moves one
 * place down, and every set that names places is renumbered, all with interrupts off and other CPUs
 * standing still. Other threads do not notice, except that takt_self() may answer differently.
 */
#include "admission.h"
#include "core/cpu.h"
#include "budget/server.h"

#include <takt/create.h>
#include <takt/io.h>

#if TAKT_DYNAMIC

/* Weak: they are there if the program has interrupts of pins, and handlers of the Arduino API. */
#pragma weak takt_pins_shift_locked
#pragma weak takt_handlers_shift_locked

uint8_t takt_linked_place(void)
{
    uint8_t self = takt_self(), count = (uint8_t)(takt_linked_end - takt_linked);
    for (uint8_t place = 0; place < count; place++)
        if (takt_linked[place] == takt_table[self])
            return place;
    return self;
}

/* Where a thread belongs: after bottom halves, budgeted ones by period, then the rest in order of
 * creation. */
uint8_t takt_place_for(const struct takt_thread *thread, const struct takt_change *change)
{
    uint8_t place = 0;
    if (!thread->vcpu)
        return takt_core.count;
    for (; place < takt_core.count && takt_table[place]->vcpu; place++) {
        const struct takt_vcpu *v = takt_table[place]->vcpu;
        if (v->flags & TAKT_IO_VCPU)
            continue; /* its CPU may be changing its period */
        if ((change && v == change->vcpu ? change->period : v->period) > thread->vcpu->period)
            break;
    }
    return place;
}

/* Bits at and above `place` move up by one. */
static takt_set_t open_gap(takt_set_t set, uint8_t place)
{
    takt_set_t below = takt_set_of(place) - 1u;
    return (set & below) | (set & ~below) << 1;
}

/* Renumbers the waiters of every semaphore that has some, each once. */
static void shift_waiters(uint8_t place)
{
    struct takt_sem *shifted[TAKT_PLACES];
    uint8_t done = 0;
    for (uint8_t i = 0; i < takt_core.count; i++) {
        struct takt_sem *sem = takt_tcbs[i].waits;
        uint8_t seen = 0;
        if (!sem)
            continue;
        while (seen < done && shifted[seen] != sem)
            seen++;
        if (seen < done)
            continue;
        sem->waiters = open_gap(sem->waiters, place);
        shifted[done++] = sem;
    }
}

/* A ceiling above all threads stays there. */
static uint8_t shifted_ceiling(uint8_t ceiling, uint8_t place)
{
    if (ceiling > 0)
        takt_shift_place(&ceiling, place);
    return ceiling;
}

/* Mutexes that are held: their holders, and the ceilings in force. The ceiling a mutex was defined
 * with stays, and so comes to be more urgent than it need be. */
static void shift_held(uint8_t cpu, uint8_t place)
{
    __typeof__(takt_locks) *locks = &TAKT_ON(cpu, locks);
#if TAKT_HAS_LOCKS
    for (struct takt_mutex *m = locks->asleep; m; m = m->outer)
        takt_shift_place(&m->owner, place);
#endif
    for (struct takt_mutex *m = locks->innermost; m; m = m->outer) {
        takt_shift_place(&m->owner, place);
        m->outer_ceiling = shifted_ceiling(m->outer_ceiling, place) & 0x7Fu;
    }
    locks->ceiling = shifted_ceiling(locks->ceiling, place);
    takt_shift_place(&locks->holder, place);
}

/* What is one CPU's. */
static void shift_cpu(uint8_t cpu, uint8_t place)
{
    __typeof__(takt_core) *core = &TAKT_ON(cpu, core);
    takt_set_t *sets[] = {&core->ready, &TAKT_ON(cpu, cpu).background, &TAKT_ON(cpu, cpu).spent,
                          &TAKT_ON(cpu, cpu).woken, &TAKT_ON(cpu, cpu).fresh,
                          &TAKT_ON(cpu, cpu).bottoms, &TAKT_ON(cpu, cpu).raised,
                          &TAKT_ON(cpu, cpu).doomed, &TAKT_ON(cpu, timers).sleepers};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        *sets[i] = open_gap(*sets[i], place);
    uint8_t *places[] = {&core->current, &core->context, &TAKT_ON(cpu, cpu).events_for,
                         &TAKT_ON(cpu, cpu).rang_for};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        takt_shift_place(places[i], place);
    shift_held(cpu, place);
    core->count++;
}

static void shift_bottoms(uint8_t place)
{
    for (uint8_t i = 0; i < takt_core.count; i++) {
        struct takt_io_vcpu *io = (struct takt_io_vcpu *)takt_table[i]->vcpu;
        if (!io || !(io->server.flags & TAKT_IO_VCPU))
            continue;
        io->serves = open_gap(io->serves, place);
        io->serving = open_gap(io->serving, place);
        takt_shift_place(&io->rank, place);
    }
}

/* What is kept outside of the kernel, or beside threads. */
static void shift_kept(uint8_t place)
{
    if (TAKT_HAS_JOBS)
        takt_periodic_shift_locked(open_gap, place);
    if (TAKT_HAS_TASKS)
        takt_tasks_shift_locked(place);
    if (takt_pins_shift_locked)
        takt_pins_shift_locked(place);
    if (takt_handlers_shift_locked)
        takt_handlers_shift_locked(place);
}

static void shift_places(uint8_t place)
{
    shift_waiters(place);
    shift_bottoms(place);
    for (uint8_t i = takt_core.count; i > place; i--) {
        takt_table[i] = takt_table[i - 1];
        takt_tcbs[i] = takt_tcbs[i - 1];
        takt_wakes[i] = takt_wakes[i - 1];
        takt_set_cpu(i, takt_cpu_index((uint8_t)(i - 1)));
    }
    shift_kept(place);
    for (uint8_t cpu = 0; cpu < takt_cpus(); cpu++)
        shift_cpu(cpu, place);
}

static void insert_locked(const struct takt_thread *thread, uint8_t place, uint8_t cpu)
{
    shift_places(place);
    takt_table[place] = thread;
    takt_tcbs[place] = (struct takt_tcb){0};
    takt_set_cpu(place, cpu);
    TAKT_AT(place, cpu).fresh |= takt_set_of(place);
    takt_prepare_stack(place);
    if (thread->vcpu)
        takt_server_start(thread->vcpu, port_now());
    takt_trace_locked(port_now(), TAKT_EV_CREATE, place, 0);
    takt_wake_locked(place);
}

/* No thread of higher priority comes in between while the other CPUs are held up. */
static void insert(const struct takt_thread *thread, uint8_t place, uint8_t cpu)
{
    static struct takt_mutex inserting = TAKT_MUTEX_INIT(0);
    takt_mutex_lock(&inserting);
    if (PORT_CPUS > 1)
        takt_hold_others();
    port_irq_t irq = port_irq_save();
    insert_locked(thread, place, cpu);
    port_irq_restore(irq);
    if (PORT_CPUS > 1)
        takt_let_others_go();
    takt_mutex_unlock(&inserting);
}

/* Admission takes its time, so it is done before any CPU is held up. */
int takt_create_in_turn(const struct takt_thread *thread)
{
    if (takt_core.count == TAKT_PLACES)
        return TAKT_ENOSPACE;
    uint8_t place = takt_place_for(thread, NULL);
    int cpu = takt_admit_joining(thread, place);
    if (cpu < 0)
        return cpu;
    insert(thread, place, (uint8_t)cpu);
    if (TAKT_HAS_PROMISES)
        takt_pipes_follow();
    return place;
}

const struct takt_thread *takt_thread_self(void)
{
    port_irq_t irq = port_irq_save();
    const struct takt_thread *self = takt_thread_at(takt_self());
    port_irq_restore(irq);
    return self;
}

int takt_thread_create(const struct takt_thread *thread)
{
    if (!takt_may_block())
        return TAKT_ECONTEXT;
    takt_turn_take();
    int place = takt_create_in_turn(thread);
    takt_turn_give();
    return place;
}

#endif
