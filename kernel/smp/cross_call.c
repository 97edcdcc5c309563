/*
 * Cross-calls: what is to be done to another CPU's threads and budgets is done by that CPU, in its
 * dispatcher, where no place is held in a variable. The
 * caller waits, interrupts on: two CPUs can send each other one at the same time.
 *
 * Holding all other CPUs still is a cross-call that waits for the end of it, with interrupts off
 * there.
 */
#include "core/cpu.h"

#if PORT_CPUS > 1

static bool held;
static struct takt_cross_call holds[PORT_CPUS];

static void post(uint8_t cpu, struct takt_cross_call *call)
{
    port_irq_t irq = port_irq_save();
    struct takt_cross_call **end = &takt_locals[cpu].calls;
    while (*end)
        end = &(*end)->next;
    call->next = NULL;
    call->done = false;
    TAKT_SHOW(*end, call);
    port_kick(cpu);
    port_irq_restore(irq);
}

static void await(const bool *done)
{
    while (!__atomic_load_n(done, __ATOMIC_ACQUIRE))
        port_relax();
}

void takt_cross_call(uint8_t cpu, struct takt_cross_call *call)
{
    post(cpu, call);
    await(&call->done);
}

void takt_cross_call_others(struct takt_cross_call *call)
{
    for (uint8_t cpu = 0; cpu < takt_cpus(); cpu++)
        if (cpu != port_cpu())
            takt_cross_call(cpu, call);
}

void takt_run_cross_calls_locked(void)
{
    struct takt_cross_call *call;
    while ((call = takt_locals[port_cpu()].calls) != NULL) {
        TAKT_SHOW(takt_locals[port_cpu()].calls, call->next);
        call->run_locked(call);
        __atomic_store_n(&call->done, true, __ATOMIC_RELEASE); /* it may be gone now */
    }
}

/* `done` first says that the CPU stands still, and then, once it is let go, that it has. */
static void stand_still_locked(struct takt_cross_call *call)
{
    __atomic_store_n(&call->done, true, __ATOMIC_RELEASE);
    takt_kernel_lock_give();
    while (__atomic_load_n(&held, __ATOMIC_ACQUIRE))
        port_relax();
    takt_kernel_lock_take();
}

void takt_hold_others(void)
{
    __atomic_store_n(&held, true, __ATOMIC_RELEASE);
    for (uint8_t cpu = 0; cpu < takt_cpus(); cpu++) {
        holds[cpu].run_locked = stand_still_locked;
        if (cpu != port_cpu())
            takt_cross_call(cpu, &holds[cpu]);
    }
}

void takt_let_others_go(void)
{
    for (uint8_t cpu = 0; cpu < takt_cpus(); cpu++)
        holds[cpu].done = cpu == port_cpu();
    __atomic_store_n(&held, false, __ATOMIC_RELEASE);
    for (uint8_t cpu = 0; cpu < takt_cpus(); cpu++)
        await(&holds[cpu].done);
}

#else
typedef int takt_cross_calls_need_several_cpus;
#endif
