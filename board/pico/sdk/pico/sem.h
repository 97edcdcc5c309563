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

static inline bool sem_acquire_timeout_us(semaphore_t *sem, uint32_t us)
{
    return takt_sem_wait_for(sem, us) == TAKT_OK;
}

static inline bool sem_acquire_timeout_ms(semaphore_t *sem, uint32_t ms)
{
    return sem_acquire_timeout_us(sem, ms * 1000u);
}

#endif
