/*
 * Counting semaphores (include/takt/sem.h). A unit signalled while somebody waits is handed
 * directly to the most urgent waiter: count and waiters are never both non-zero.
 *
 * A wait that times out leaves its bit in `waiters` until the thread runs again and removes it;
 * a signal that finds the bit in between still counts as delivered. So the bit, not the clock,
 * decides the result, and the alarm handler need not know semaphores.
 */
#include "cpu.h"

#include <takt/sem.h>

int takt_sem_try(struct takt_sem *sem)
{
    port_irq_t irq = port_irq_save();
    int result = TAKT_EAGAIN;
    if (sem->count > 0) {
        sem->count--;
        result = TAKT_OK;
    }
    port_irq_restore(irq);
    return result;
}

#if !PORT_FAST_SEM
int takt_sem_wait(struct takt_sem *sem)
{
    return takt_sem_wait_slow(sem);
}

int takt_sem_signal(struct takt_sem *sem)
{
    return takt_sem_signal_slow(sem);
}
#endif

int takt_give_locked(struct takt_sem *sem)
{
    if (sem->waiters == 0) {
        if (sem->count >= sem->max)
            return TAKT_EOVERFLOW;
        sem->count++;
        return 0;
    }
    takt_set_t rest = sem->waiters & (sem->waiters - 1);
    takt_wake_locked(takt_set_first(sem->waiters));
    sem->waiters = rest;
    return 1;
}

int takt_sem_signal_isr(struct takt_sem *sem)
{
    port_irq_t irq = port_irq_save();
    int result = takt_give_locked(sem);
    if (result > 0)
        takt_dispatch_isr_locked();
    port_irq_restore(irq);
    return result < 0 ? result : TAKT_OK;
}
