/*
 * With MUTEX: a mutex, locked and unlocked once. That there is one brings the dispatcher in C.
 */
#ifndef ELLI_MUTEX_H
#define ELLI_MUTEX_H

#ifdef MUTEX
#include <takt/mutex.h>

struct takt_mutex mutex = TAKT_MUTEX_INIT(0);

static inline void use_mutex(void)
{
    takt_mutex_lock(&mutex);
    takt_mutex_unlock(&mutex);
}
#else
static inline void use_mutex(void)
{
}
#endif

#endif
