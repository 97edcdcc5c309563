/*
 * Threads created at run time, where the table of threads is in RAM (TAKT_DYNAMIC: PC,
 * simulation). A new thread is inserted at its place in the order; everybody after it moves one
 * place down, and every set that names places is renumbered, all with interrupts off. Nobody
 * else notices, except that takt_self() may answer differently.
 */
#include "admission.h"
#include "cpu.h"
#include "server.h"

#include <takt/create.h>
#include <takt/io.h>

#if TAKT_DYNAMIC

extern const struct takt_thread *const linked_start[] __asm__("__takt_threads_start");
extern const struct takt_thread *const linked_end[] __asm__("__takt_threads_end");
#pragma weak linked_start
#pragma weak linked_end
#pragma weak takt_periodic_shift_locked

void takt_start(void)
{
    size_t count = (size_t)(linked_end - linked_start);
    port_irq_save();
    if (count == 0 || count > TAKT_PLACES)
        takt_fatal(TAKT_FATAL_CONTEXT, TAKT_NOBODY, "a program needs 1 to 32 threads");
    for (size_t i = 0; i < count; i++)
        takt_table[i] = linked_start[i];
    port_init();
    takt_boot_locked((uint8_t)count);
}

/* Where a thread belongs: after bottom halves, budgeted ones by period, then all others in order of
 * creation. */
static uint8_t place_for(const struct takt_thread *thread)
{
    uint8_t place = 0;
    if (!thread->vcpu)
        return takt_core.count;
    while (place < takt_core.count && takt_table[place]->vcpu &&
           (takt_set_has(takt_cpu.bottoms, place) ||
            takt_table[place]->vcpu->period <= thread->vcpu->period))
        place++;
    return place;
}

/* Bits at and above `place` move up by one. */
static takt_set_t open_gap(takt_set_t set, uint8_t place)
{
    takt_set_t below = takt_set_of(place) - 1u;
    return (set & below) | (set & ~below) << 1;
}

static void shift_place(uint8_t *which, uint8_t place)
{
    if (*which < TAKT_PLACES && *which >= place)
        ++*which;
}

/* Renumbers the waiters of every semaphore somebody waits for, each once. */
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

/* Mutexes that are held: their holders, and the ceilings in force. The ceiling a mutex was defined
 * with stays, and so comes to be more urgent than it need be. */
static void shift_held(uint8_t place)
{
    for (struct takt_mutex *m = takt_locks.innermost; m; m = m->outer) {
        shift_place(&m->owner, place);
        shift_place(&m->outer_ceiling, place);
    }
    shift_place(&takt_locks.ceiling, place);
    shift_place(&takt_locks.holder, place);
}

static void shift_places(uint8_t place)
{
    shift_waiters(place);
    for (uint8_t i = takt_core.count; i > place; i--) {
        takt_table[i] = takt_table[i - 1];
        takt_tcbs[i] = takt_tcbs[i - 1];
        takt_wakes[i] = takt_wakes[i - 1];
    }
    takt_core.ready = open_gap(takt_core.ready, place);
    takt_cpu.background = open_gap(takt_cpu.background, place);
    takt_cpu.spent = open_gap(takt_cpu.spent, place);
    takt_cpu.woken = open_gap(takt_cpu.woken, place);
    takt_cpu.fresh = open_gap(takt_cpu.fresh, place) | takt_set_of(place);
    takt_cpu.raised = open_gap(takt_cpu.raised, place);
    takt_cpu.doomed = open_gap(takt_cpu.doomed, place);
    takt_timers.sleepers = open_gap(takt_timers.sleepers, place);
    if (takt_periodic_shift_locked)
        takt_periodic_shift_locked(open_gap, place);
    for (takt_set_t left = takt_cpu.bottoms; left; left = takt_set_rest(left)) {
        struct takt_io_vcpu *io = (struct takt_io_vcpu *)takt_table[takt_set_first(left)]->vcpu;
        io->serves = open_gap(io->serves, place);
        io->serving = open_gap(io->serving, place);
        shift_place(&io->rank, place);
    }
    shift_held(place);
    shift_place(&takt_core.current, place);
    shift_place(&takt_core.context, place);
    takt_core.count++;
}

static int insert_locked(const struct takt_thread *thread)
{
    uint8_t place = place_for(thread);
    int verdict = takt_admit_joining(thread, place);
    if (verdict < 0)
        return verdict;
    shift_places(place);
    takt_table[place] = thread;
    takt_tcbs[place] = (struct takt_tcb){0};
    takt_prepare_stack(place);
    if (thread->vcpu)
        takt_server_start(thread->vcpu, port_now());
    takt_trace_locked(port_now(), TAKT_EV_CREATE, place, 0);
    takt_wake_locked(place);
    return place;
}

int takt_thread_create(const struct takt_thread *thread)
{
    if (!takt_may_block())
        return TAKT_ECONTEXT;
    if (takt_core.count == TAKT_PLACES)
        return TAKT_ENOSPACE;
    port_irq_t irq = port_irq_save();
    int place = insert_locked(thread);
    if (place >= 0)
        takt_dispatch_locked(irq);
    port_irq_restore(irq);
    return place;
}

#endif
