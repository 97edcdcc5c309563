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
    if (takt_is_null(sem))
        return TAKT_EINVAL;
    port_irq_t irq = port_irq_save();
    int result = TAKT_EAGAIN;
    if (sem->count > 0) {
        sem->count--;
        result = TAKT_OK;
    }
    port_irq_restore(irq);
    return result;
}
