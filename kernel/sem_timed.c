/*
 * Semaphore wait with a timeout; separate, so that programs without it do not link the alarm.
 */
#include "sleep.h"

#include <takt/sem.h>

int takt_sem_wait_for(struct takt_sem *sem, uint32_t us)
{
    if (us > TAKT_DURATION_MAX)
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    takt_time_t at = port_now() + us + 1;
    bool may_block = takt_may_block();
    port_irq_t irq = port_irq_save();
    int result = TAKT_OK;
    if (sem->count > 0) {
        sem->count--;
    } else if (us == 0) {
        result = TAKT_EAGAIN;
    } else if (irq || !may_block) {
        result = TAKT_ECONTEXT;
    } else {
        takt_note_wait(sem);
        return takt_sleep_locked(&sem->waiters, at, TAKT_BLOCK_SEM);
    }
    port_irq_restore(irq);
    return result;
}
