/*
 * Waiting and signalling where the dispatcher has to look: with mutexes, budgets or the trace, which
 * link this, and on ports that have no faster way.
 */
#include "cpu.h"

#include <takt/sem.h>

int takt_sem_wait_slow(struct takt_sem *sem)
{
    if (port_in_isr())
        return TAKT_ECONTEXT; /* even if there is a unit: whoever waits must be able to give back */
    port_irq_t irq = port_irq_save();
    int result = TAKT_OK;
    if (sem->count > 0) {
        sem->count--;
    } else if (irq || !takt_may_block()) {
        result = TAKT_ECONTEXT;
    } else {
        takt_note_wait(sem);
        sem->waiters |= takt_set_of(takt_core.current);
        takt_block_locked(TAKT_BLOCK_SEM, irq);
    }
    port_irq_restore(irq);
    return result;
}

int takt_sem_signal_slow(struct takt_sem *sem)
{
    if (port_in_isr())
        return TAKT_ECONTEXT;
    port_irq_t irq = port_irq_save();
    int result = irq ? TAKT_ECONTEXT : takt_give_locked(sem);
    if (result > 0 && takt_self() != TAKT_NOBODY)
        takt_dispatch_locked(irq);
    port_irq_restore(irq);
    return result < 0 ? result : TAKT_OK;
}

