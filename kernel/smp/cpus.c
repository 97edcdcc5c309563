/*
 * Several CPUs: their start (include/takt/cpus.h). CPU 0 starts the other CPUs, sees which answer,
 * places all threads and gives the lock away; each CPU, on the stack it was started on, then does
 * what a CPU does when a thread has blocked: it looks for another.
 *
 *     CPU 0       start CPU 1, 2, ...   place threads   | dispatches: first thread
 *     CPU 1...                 sets itself up, waits for the lock | dispatches: first thread, or sleeps
 */
#include "core/cpu.h"

#if PORT_CPUS > 1

#include <takt/isr.h>

_Static_assert(TAKT_DYNAMIC, "several CPUs: the table of threads is in RAM");

static uint8_t cpus = 1;

/* A CPU that does not answer is the last that is asked: indices have no gaps. */
static void start_others_locked(void)
{
    uint8_t most = port_cpus();
    while (cpus < most && port_cpu_start(cpus) == TAKT_OK)
        cpus++;
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

void takt_boot_locked(uint8_t count)
{
    takt_core.count = count;
    start_others_locked();
    cpus = takt_place_threads(count, cpus); /* the rest sleeps: takt_cpu_main() */
    for (uint8_t cpu = 0; cpu < cpus; cpu++)
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
    while (port_cpu() >= cpus) /* it answers too late, or is not needed */
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

uint8_t takt_cpus(void)
{
    return cpus;
}

uint8_t takt_cpu_at(uint8_t place)
{
    return place < takt_core.count ? takt_cpu_of[place] : TAKT_NO_CPU;
}

uint8_t takt_cpu_here(void)
{
    return port_cpu();
}

#else

uint8_t takt_cpus(void)
{
    return 1;
}

uint8_t takt_cpu_at(uint8_t place)
{
    return place < takt_core.count ? 0 : TAKT_NO_CPU;
}

uint8_t takt_cpu_here(void)
{
    return 0;
}

#endif
