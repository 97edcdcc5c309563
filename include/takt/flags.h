/*
 * Event flags: 32 bits that threads wait for in any combination. Handlers and threads set them; all
 * threads whose condition is then met wake, the most urgent first.
 */
#ifndef TAKT_FLAGS_H
#define TAKT_FLAGS_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct takt_waiter;

struct takt_flags {
    uint32_t set;
    struct takt_waiter *first; /* the most urgent thread that waits; the kernel's */
};

#define TAKT_FLAGS_INIT(set_) {(set_), NULL}

/* How to wait, or-ed: for all of the flags, not just any; leaving them set, which else those that
 * were waited for and are set are not any more. */
enum takt_flags_how {
    TAKT_FLAGS_ANY = 0,
    TAKT_FLAGS_ALL = 1,
    TAKT_FLAGS_KEEP = 2,
};

/*
 * Waits until any, or all, of `wanted` are set, as long as it takes; *got, unless NULL: those of
 * them that were. Thread context, no mutex held. TAKT_OK; TAKT_ECONTEXT; TAKT_EINVAL for no flags.
 * NULL here and below as with semaphores. O(threads that wait), as takt_flags_set().
 */
int takt_flags_wait(struct takt_flags *flags, uint32_t wanted, uint8_t how, uint32_t *got);

/* The same, but gives up after `us`: TAKT_ETIMEOUT. 0 never waits: TAKT_EAGAIN, and a mutex may be
 * held. TAKT_EINVAL above TAKT_DURATION_MAX, too. */
int takt_flags_wait_for(struct takt_flags *flags, uint32_t wanted, uint8_t how, uint32_t us,
                        uint32_t *got);

/* Sets flags beside those that are, and wakes all whose condition is met; switches at once if one
 * is more urgent. A flag that one has taken the less urgent ones do not see. Thread context, with
 * interrupts on: TAKT_OK, TAKT_ECONTEXT. Interrupts are off while the threads that wait are looked
 * through and woken, which admission counts (`waiter` in board.toml). */
int takt_flags_set(struct takt_flags *flags, uint32_t set);

/* The same from an interrupt handler; the switch happens when the handlers are done. */
int takt_flags_set_isr(struct takt_flags *flags, uint32_t set);

/* Clears flags; returns those that were set before. Either context. */
uint32_t takt_flags_clear(struct takt_flags *flags, uint32_t cleared);

/* Those that are set. Either context. */
static inline uint32_t takt_flags_now(const struct takt_flags *flags)
{
    return *(const volatile uint32_t *)&flags->set;
}

#ifdef __cplusplus
}
#endif

#endif
