/*
 * Threads created at run time; only where the table of threads is in RAM (TAKT_DYNAMIC: board
 * `pc`).
 */
#ifndef TAKT_CREATE_H
#define TAKT_CREATE_H

#include <takt/vcpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Adds a thread and makes it ready; it may run before the call returns. The descriptor, its stack
 * and its VCPU (if any; initialised with TAKT_VCPU_INIT) must stay in memory for good. A thread
 * with a VCPU is placed rate monotonically, one without comes last. Thread context, O(threads)
 * after admission; waits while another change is being admitted. Returns its place; TAKT_EADMIT
 * when the exact test refuses the enlarged set, or a pipe would lose packets or be late
 * (takt_tpipe_refusal(), takt/tpipe.h, says which), TAKT_ENOSPACE beyond TAKT_PLACES threads,
 * TAKT_EINVAL for a budget out of range, TAKT_ECONTEXT in an interrupt, before start or holding a
 * mutex. On error nothing has changed.
 */
int takt_thread_create(const struct takt_thread *thread);

/* Of the simulation, which starts programs one after another: what handlers have left is forgotten.
 */
void takt_handlers_reset(void);

/* The calling thread's descriptor, NULL before the start: the same for good, as its place is
 * not, which may change while another thread is created. Either context. */
#if TAKT_DYNAMIC
const struct takt_thread *takt_thread_self(void);

/* Code that keeps a thread's place defines one of these, which is called when all from `place` on
 * have moved up by one: tasks, pins, their handlers. Interrupts off. */
void takt_tasks_shift_locked(uint8_t place);
void takt_pins_shift_locked(uint8_t place);
void takt_handlers_shift_locked(uint8_t place);

static inline void takt_shift_place(uint8_t *kept, uint8_t place)
{
    if (*kept < TAKT_PLACES && *kept >= place)
        ++*kept;
}
#else
static inline const struct takt_thread *takt_thread_self(void)
{
    return takt_thread_at(takt_self());
}
#endif

#ifdef __cplusplus
}
#endif

#endif
