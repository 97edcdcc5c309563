/*
 * Semaphores, which are Takt's: a loop that waits sleeps. In an interrupt only sem_release() and
 * sem_try_acquire().
 */
#ifndef TAKT_PICO_SEM_H
#define TAKT_PICO_SEM_H

#include <pico/platform.h>
#include <takt/sem.h>

typedef struct takt_sem semaphore_t;

static inline void sem_init(semaphore_t *sem, int16_t permits, int16_t max_permits)
{
    sem->waiters = 0;
    sem->count = (uint16_t)permits;
    sem->max = (uint16_t)max_permits;
}

static inline int sem_available(semaphore_t *sem)
{
    return sem->count;
}

/* False: there are as many as there may be. Before the first loop, and with interrupts off, a loop
 * that is woken runs later. */
static inline bool sem_release(semaphore_t *sem)
{
    int result = takt_sem_signal(sem);
    return (result == TAKT_ECONTEXT ? takt_sem_signal_isr(sem) : result) == TAKT_OK;
}

static inline bool sem_try_acquire(semaphore_t *sem)
{
    return takt_sem_try(sem) == TAKT_OK;
}

static inline void sem_acquire_blocking(semaphore_t *sem)
{
    if (!sem_try_acquire(sem) && takt_sem_wait(sem) != TAKT_OK)
        panic("sem_acquire_blocking() where nothing may wait");
}

/* One that is free is taken wherever; waits are in pieces of what takt_sem_wait_for() takes. */
static inline bool takt_sem_within_(semaphore_t *sem, uint64_t us)
{
    int result = takt_sem_try(sem);
    while ((result == TAKT_EAGAIN || result == TAKT_ETIMEOUT) && us != 0) {
        uint32_t piece = us < TAKT_DURATION_MAX ? (uint32_t)us : TAKT_DURATION_MAX;
        result = takt_sem_wait_for(sem, piece);
        us -= piece;
    }
    return result == TAKT_OK;
}

static inline bool sem_acquire_timeout_us(semaphore_t *sem, uint32_t us)
{
    return takt_sem_within_(sem, us);
}

static inline bool sem_acquire_timeout_ms(semaphore_t *sem, uint32_t ms)
{
    return takt_sem_within_(sem, (uint64_t)ms * 1000u);
}

#endif
