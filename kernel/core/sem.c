/*
 * Counting semaphores (include/takt/sem.h). A unit signalled while a thread waits is handed
 * directly to the most urgent waiter: count and waiters are never both non-zero.
 *
 * A wait that times out leaves its bit in `waiters` until the thread runs again and removes it;
 * a signal that finds the bit in between still counts as delivered. So the bit, not the clock,
 * decides the result, and the alarm handler need not know semaphores.
 *
 * Programs of threads and semaphores alone may have waiting and signalling from the port, where it
 * has something faster (port/armv6m/sem.S): that is what TAKT_HAS_DISPATCHER is 0 for.
 */
#include "cpu.h"

#include <takt/sem.h>

#if TAKT_HAS_DISPATCHER

int takt_sem_wait(struct takt_sem *sem)
{
    TAKT_FACT("only threads");
    if (takt_is_null(sem))
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    port_irq_t irq = port_irq_save();
    int result = TAKT_OK;
    if (irq || !takt_started()) {
        result = TAKT_ECONTEXT;
    } else if (sem->count > 0) {
        sem->count--;
    } else if (takt_holds_plain_mutex(takt_core.current)) {
        result = TAKT_ECONTEXT;
    } else {
        takt_note_wait_locked(takt_core.current, sem);
        sem->waiters |= takt_set_of(takt_core.current);
        takt_leave_locked(TAKT_BLOCK_SEM, irq);
    }
    port_irq_restore(irq);
    return result;
}

/* Gives the unit; returns whether a thread of this CPU was woken, or TAKT_EOVERFLOW. */
static int give_locked(struct takt_sem *sem)
{
    if (sem->waiters == 0) {
        if (sem->count >= sem->max)
            return TAKT_EOVERFLOW;
        sem->count++;
        return 0;
    }
    takt_set_t rest = takt_set_rest(sem->waiters);
    uint8_t place = takt_set_first(sem->waiters);
    takt_wake_locked(place);
    sem->waiters = rest;
    takt_note_wait_locked(place, NULL);
    return takt_here(place);
}

int takt_sem_signal(struct takt_sem *sem)
{
    if (takt_is_null(sem))
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    port_irq_t irq = port_irq_save();
    int result = irq || !takt_started() ? TAKT_ECONTEXT : give_locked(sem);
    if (result > 0)
        takt_dispatch_locked(irq);
    port_irq_restore(irq);
    return result < 0 ? result : TAKT_OK;
}

int takt_sem_signal_isr(struct takt_sem *sem)
{
    if (takt_is_null(sem))
        return TAKT_EINVAL;
    port_irq_t irq = port_irq_save();
    int result = give_locked(sem);
    if (result > 0)
        takt_dispatch_isr_locked();
    port_irq_restore(irq);
    return result < 0 ? result : TAKT_OK;
}

#endif

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
