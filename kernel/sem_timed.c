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
    port_irq_t irq = port_irq_save();
    int result = TAKT_OK;
    if (sem->count > 0) {
        sem->count--;
    } else if (us == 0) {
        result = TAKT_EAGAIN;
    } else if (irq || !takt_may_block()) {
        result = TAKT_ECONTEXT;
    } else {
        takt_note_wait(sem);
        sem->waiters |= takt_set_of(takt_core.current);
        takt_sleep_locked(port_now() + us + 1, TAKT_BLOCK_SEM, irq);
        takt_set_t self = takt_set_of(takt_core.current); /* may be another place by now */
        takt_timers.sleepers &= ~self;
        if (sem->waiters & self) {
            sem->waiters &= ~self;
            result = TAKT_ETIMEOUT;
        }
    }
    port_irq_restore(irq);
    return result;
}
