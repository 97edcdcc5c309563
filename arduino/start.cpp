/*
 * A sketch's start: the kernel, setup(), then the loops.
 *
 * setup() runs on the thread of the most urgent loop or job (with several CPUs: of the first to
 * come); the others wait until it is over. Its CPU time does not count: all budgets start afresh
 * after it, and all loops at the same instant.
 */
#include "start.h"

#include <takt/mutex.h>
#include <takt/periodic.h>
#include <takt/port.h>
#include <takt/sem.h>
#include <takt/vcpu.h>

/* What defines this brings the threads: the sketch, or else plain_loop.cpp. */
__asm__(".globl takt_sketch_has_threads");

#ifndef __AVR__ /* whose sketches without Serial tell a debugger only */
TAKT_TELLS_FATAL;
#endif

#pragma weak takt_place_jobs
#pragma weak takt_attach_early

namespace
{

enum class Setup : uint8_t { AHEAD, UNDER_WAY, OVER };

Setup state = Setup::AHEAD;
bool has_first; /* the most urgent loop has come: it comes before the others */
struct takt_sem over = TAKT_SEM_INIT(0);

/* The first restart makes sure that this thread, now with budget, is not preempted by those it
 * wakes; the second dates all budgets, theirs too, at one instant, which the trace shows. */
void start_loops()
{
    takt_vcpu_restart_all();
    state = Setup::OVER;
    for (uint8_t i = 1; i < takt_thread_count(); i++)
        takt_sem_signal(&over); /* units that no loop waits for do no harm */
    takt_vcpu_restart_all();
}

/* Tells how far setup() is; the caller that hears that it is ahead does it. */
Setup look()
{
    if (PORT_CPUS == 1)
        return state;
    port_irq_t irq = port_irq_save();
    Setup was = state;
    if (was == Setup::AHEAD)
        state = Setup::UNDER_WAY;
    port_irq_restore(irq);
    return was;
}

/* Is the caller the first loop to come? */
bool come()
{
    port_irq_t irq = PORT_CPUS > 1 ? port_irq_save() : 0;
    bool first = !has_first;
    has_first = true;
    if (PORT_CPUS > 1)
        port_irq_restore(irq);
    return first;
}

} // namespace

/* Kept apart so that only the thread that runs it needs stack for it. */
extern "C" __attribute__((noinline)) void takt_arduino_setup()
{
    TAKT_FACT("only setup");
    state = Setup::UNDER_WAY;
    if (takt_attach_early)
        takt_attach_early();
    setup();
    takt_require_unlocked();
    if (takt_place_jobs)
        takt_place_jobs();
    start_loops();
}

/* Periodic threads do this, and then go their own way (takt/periodic.h). */
extern "C" void takt_before_jobs()
{
    Setup was = look();
    if (was == Setup::AHEAD)
        takt_arduino_setup();
    else if (was == Setup::UNDER_WAY)
        takt_sem_wait(&over);
}

extern "C" void takt_arduino_thread(void *body)
{
    TAKT_FACT("entry loop");
    bool first = come();
    takt_before_jobs();
    for (;;) {
        reinterpret_cast<void (*)()>(body)();
        takt_require_unlocked();
        if (first)
            takt_serial_events();
    }
}
