/*
 * Mutual exclusion of loops by the names of the pico's SDK. A loop that finds one taken sleeps
 * until it is given back. Unlike takt::Mutex it may be held while the loop waits for other things,
 * and by objects that the build does not know; so it gives its owner no priority, and what a loop
 * waits here is not in the proof. Not in an interrupt.
 */
#ifndef TAKT_PICO_MUTEX_H
#define TAKT_PICO_MUTEX_H

#include <pico/sem.h>
#include <pico/time.h>
#include <takt/thread.h>

typedef struct {
    semaphore_t free;
    uint8_t owner; /* while it is taken */
    uint8_t depth; /* recursive: how often */
} mutex_t;

typedef mutex_t recursive_mutex_t;

#define auto_init_mutex(name)           static mutex_t name = {TAKT_SEM_BINARY_INIT(1), 0, 0}
#define auto_init_recursive_mutex(name) auto_init_mutex(name)

static inline void mutex_init(mutex_t *mutex)
{
    sem_init(&mutex->free, 1, 1);
    mutex->depth = 0;
}

static inline bool mutex_is_initialized(mutex_t *mutex)
{
    return mutex->free.max == 1;
}

static inline bool takt_mutex_taken_(mutex_t *mutex, bool taken)
{
    if (taken)
        mutex->owner = takt_self();
    return taken;
}

static inline void mutex_enter_blocking(mutex_t *mutex)
{
    sem_acquire_blocking(&mutex->free);
    (void)takt_mutex_taken_(mutex, true);
}

/* owner: of the loop that has it, where it is not free. */
static inline bool mutex_try_enter(mutex_t *mutex, uint32_t *owner)
{
    bool taken = takt_mutex_taken_(mutex, sem_try_acquire(&mutex->free));
    if (!taken && owner != NULL)
        *owner = mutex->owner;
    return taken;
}

static inline bool mutex_enter_timeout_us(mutex_t *mutex, uint32_t us)
{
    return takt_mutex_taken_(mutex, sem_acquire_timeout_us(&mutex->free, us));
}

static inline bool mutex_enter_timeout_ms(mutex_t *mutex, uint32_t ms)
{
    return takt_mutex_taken_(mutex, sem_acquire_timeout_ms(&mutex->free, ms));
}

static inline bool mutex_enter_block_until(mutex_t *mutex, absolute_time_t until)
{
    int64_t left = absolute_time_diff_us(get_absolute_time(), until);
    return takt_mutex_taken_(mutex, takt_sem_within_(&mutex->free, left > 0 ? (uint64_t)left : 0u));
}

static inline void mutex_exit(mutex_t *mutex)
{
    (void)sem_release(&mutex->free);
}

/* Recursive: its owner may take it again, and gives it back as often. */

static inline void recursive_mutex_init(recursive_mutex_t *mutex)
{
    mutex_init(mutex);
}

static inline bool recursive_mutex_is_initialized(recursive_mutex_t *mutex)
{
    return mutex_is_initialized(mutex);
}

/* Only its owner finds itself there. */
static inline bool takt_mutex_own_(recursive_mutex_t *mutex)
{
    return mutex->depth != 0 && mutex->owner == takt_self();
}

static inline void recursive_mutex_enter_blocking(recursive_mutex_t *mutex)
{
    if (!takt_mutex_own_(mutex))
        mutex_enter_blocking(mutex);
    mutex->depth++;
}

static inline bool recursive_mutex_try_enter(recursive_mutex_t *mutex, uint32_t *owner)
{
    bool taken = takt_mutex_own_(mutex) || mutex_try_enter(mutex, owner);
    mutex->depth += taken;
    return taken;
}

static inline bool recursive_mutex_enter_timeout_us(recursive_mutex_t *mutex, uint32_t us)
{
    bool taken = takt_mutex_own_(mutex) || mutex_enter_timeout_us(mutex, us);
    mutex->depth += taken;
    return taken;
}

static inline bool recursive_mutex_enter_timeout_ms(recursive_mutex_t *mutex, uint32_t ms)
{
    bool taken = takt_mutex_own_(mutex) || mutex_enter_timeout_ms(mutex, ms);
    mutex->depth += taken;
    return taken;
}

static inline void recursive_mutex_exit(recursive_mutex_t *mutex)
{
    if (--mutex->depth == 0)
        mutex_exit(mutex);
}

#endif
