/*
 * Semaphore wait with a timeout; separate, so that programs without it do not link the alarm.
 */
#include "sleep.h"

#include <takt/sem.h>

#if TAKT_HAS_TIME

int takt_sem_wait_for(struct takt_sem *sem, uint32_t us)
{
    TAKT_FACT("only threads");
    if (us > TAKT_DURATION_MAX || takt_is_null(sem))
        return TAKT_EINVAL;
    takt_time_t at = port_now() + us + 1;
    int result = takt_check_block();
    if (result < 0)
        return result;
    port_irq_save();
    if (sem->count > 0) {
        sem->count--;
        result = TAKT_OK;
    } else if (us == 0) {
        result = TAKT_EAGAIN;
    } else if (result == 0) {
        result = TAKT_ECONTEXT;
    } else {
        takt_note_wait_locked(takt_core.current, sem);
        return takt_sleep_locked(&sem->waiters, at);
    }
    port_irq_restore(0);
    return result;
}

#endif
