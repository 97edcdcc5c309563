/*
 * Admission of changes at run time: the running program's budgets and I/O shares, with one of them
 * changed or added (load.c), put to the same exact test as at build time (admission/admit.c).
 *
 *     takt_turn_take()                                                       takt_turn_give()
 *          |------ judged: takt_admit_...() ------|------ made ------------------|
 *            other threads run meanwhile, and wait here for their turn to change something
 */
#include "admission.h"

#include "core/cpu.h"

#include <takt/job.h>
#include <takt/sem.h>
#include <takt/vcpu.h>

/* A semaphore: a thread that waits for it sleeps, and the one that has it computes on its own
 * budget, which no mutex would allow. A job that has it is not terminated before it gives it
 * back. */
static struct takt_sem turn = TAKT_SEM_BINARY_INIT(1);

void takt_turn_take(void)
{
    takt_begin_whole_call();
    (void)takt_sem_wait(&turn);
}

void takt_turn_give(void)
{
    (void)takt_sem_signal(&turn);
    takt_end_whole_call();
}

/* What becomes of a change on that CPU. */
static int judge(uint8_t cpu, const struct takt_change *change)
{
    struct takt_load load;
    int verdict = takt_admit_load(&load, (uint32_t)1 << cpu, change);
    if (verdict == TAKT_OK)
        verdict = takt_admit_exact(&load.set, NULL);
    return TAKT_HAS_PROMISES ? takt_pipes_keep(change, verdict) : verdict;
}

int takt_admit_joining(const struct takt_thread *thread, uint8_t place)
{
    int result = TAKT_EADMIT;
    if (!TAKT_FLASH_POINTER(&thread->vcpu))
        return PORT_CPUS > 1 ? takt_cpu_for_background() : TAKT_OK;
    for (uint8_t cpu = 0; cpu < takt_cpus() && result < 0; cpu++) {
        struct takt_change change = {.joins = thread, .at = place, .cpu = cpu};
        result = judge(cpu, &change);
        if (result == TAKT_OK)
            result = cpu;
    }
    return result;
}

int takt_admit_budget(uint8_t place, uint32_t c_us)
{
    const struct takt_vcpu *v = TAKT_OF(place, vcpu);
    struct takt_change change = {.vcpu = v, .budget = c_us, .period = takt_shortest_period(v)};
    return judge(takt_cpu_index(place), &change);
}

int takt_admit_share(const struct takt_io_vcpu *io, struct takt_io_fraction share)
{
    struct takt_change change = {.io = io, .share = share};
    return judge(takt_cpu_index(io->place), &change);
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
