/*
 * Counting semaphores. Waiters are a set; a signal hands the unit directly to the most urgent
 * waiter (lowest place), O(1).
 */
#ifndef TAKT_SEM_H
#define TAKT_SEM_H

#include <takt/set.h>

#ifdef __cplusplus
extern "C" {
#endif

struct takt_sem {
    takt_set_t waiters;
    uint16_t count;
    uint16_t max; /* signals beyond this are refused */
};

#define TAKT_SEM_INIT(initial) {0, (initial), 0xFFFFu}
#define TAKT_SEM_BINARY_INIT(initial) {0, (initial), 1}

/* Takes a unit, waiting as long as it takes. Thread with interrupts on. TAKT_OK, TAKT_ECONTEXT.
 * Here and below NULL is a fault, or TAKT_EINVAL where writing to address 0 is none (pico,
 * microbit). */
int takt_sem_wait(struct takt_sem *sem);

/* As takt_sem_wait(), but gives up after `us`: TAKT_ETIMEOUT. 0 never waits: TAKT_EAGAIN.
 * TAKT_EINVAL above TAKT_DURATION_MAX. */
int takt_sem_wait_for(struct takt_sem *sem, uint32_t us);

/* Takes a unit if there is one, else TAKT_EAGAIN. Either context. */
int takt_sem_try(struct takt_sem *sem);

/* Gives a unit; switches at once if the thread woken is more urgent. Thread with interrupts on,
 * else TAKT_ECONTEXT. TAKT_EOVERFLOW when the count is at its maximum: nothing changes. */
int takt_sem_signal(struct takt_sem *sem);

/* Gives a unit from an interrupt handler; the switch happens when the handlers are done.
 * TAKT_EOVERFLOW as above. */
int takt_sem_signal_isr(struct takt_sem *sem);

#ifdef __cplusplus
}
#endif

#endif
