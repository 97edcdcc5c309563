/*
 * Errands: what is to be done to another CPU's threads and budgets is done by that CPU, in its
 * dispatcher, where its running thread has been settled and no place is held in a variable. Whoever
 * sends one waits, interrupts on: two CPUs can send each other one at the same time.
 *
 * Holding all other CPUs still is an errand that waits for the end of it, with interrupts off there.
 * Without budgets there is no need: then a CPU does all its work on threads with the lock held.
 */
#include "core/cpu.h"

#if PORT_CPUS > 1

static bool held;
static struct takt_errand holds[PORT_CPUS];

static void post(uint8_t cpu, struct takt_errand *errand)
{
    port_irq_t irq = port_irq_save();
    struct takt_errand **end = &takt_locals[cpu].errands;
    while (*end)
        end = &(*end)->next;
    errand->next = NULL;
    errand->done = false;
    *end = errand;
    port_kick(cpu);
    port_irq_restore(irq);
}

static void await(const bool *done)
{
    while (!__atomic_load_n(done, __ATOMIC_ACQUIRE))
        port_relax();
}

void takt_send_errand(uint8_t cpu, struct takt_errand *errand)
{
    post(cpu, errand);
    await(&errand->done);
}

void takt_run_errands_locked(void)
{
    struct takt_errand *errand;
    while ((errand = takt_locals[port_cpu()].errands) != NULL) {
        takt_locals[port_cpu()].errands = errand->next;
        errand->run_locked(errand);
        __atomic_store_n(&errand->done, true, __ATOMIC_RELEASE); /* it may be gone now */
    }
}

/* `done` first says that the CPU stands still, and then, once it is let go, that it has. */
static void stand_still_locked(struct takt_errand *errand)
{
    __atomic_store_n(&errand->done, true, __ATOMIC_RELEASE);
    takt_kernel_lock_give();
    while (__atomic_load_n(&held, __ATOMIC_ACQUIRE))
        port_relax();
    takt_kernel_lock_take();
}

void takt_hold_others(void)
{
    if (!TAKT_HAS_BUDGETS)
        return;
    __atomic_store_n(&held, true, __ATOMIC_RELEASE);
    for (uint8_t cpu = 0; cpu < takt_cpus(); cpu++) {
        holds[cpu].run_locked = stand_still_locked;
        if (cpu != port_cpu())
            takt_send_errand(cpu, &holds[cpu]);
    }
}

void takt_let_others_go(void)
{
    if (!TAKT_HAS_BUDGETS)
        return;
    for (uint8_t cpu = 0; cpu < takt_cpus(); cpu++)
        holds[cpu].done = cpu == port_cpu();
    __atomic_store_n(&held, false, __ATOMIC_RELEASE);
    for (uint8_t cpu = 0; cpu < takt_cpus(); cpu++)
        await(&holds[cpu].done);
}

#else
typedef int takt_errands_need_several_cpus;
#endif
