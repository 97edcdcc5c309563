/*
 * Scalars and result codes shared by every Takt header.
 */
#ifndef TAKT_TYPES_H
#define TAKT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <takt/config.h>
#include <takt/fact.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * An instant on the system clock, in microseconds. It wraps every 2^32 us (71.6 minutes), so
 * instants are compared with takt_before() and are meaningful within 2^31 us of each other.
 */
typedef uint32_t takt_time_t;

/* The longest duration any single call or period may name: 2^30 us (17.9 minutes). */
#define TAKT_DURATION_MAX 0x40000000u

#define TAKT_NO_CPU 0xFFu /* an index that is no CPU's */

/* Results: >= 0 is success or a value, negative is one of these. */
enum takt_error {
    TAKT_OK = 0,
    TAKT_ETIMEOUT = -1,  /* the time given passed first */
    TAKT_EAGAIN = -2,    /* would have to wait, and the call never waits */
    TAKT_ECONTEXT = -3,  /* not allowed here: in an interrupt, before start, or holding a mutex */
    TAKT_EINVAL = -4,    /* argument out of range */
    TAKT_EOVERFLOW = -5, /* counter or buffer full; nothing was changed */
    TAKT_EOWNER = -6,    /* mutex: not the owner, or already the owner */
    TAKT_EADMIT = -7,    /* admission refuses: not schedulable */
    TAKT_ENOSPACE = -8,  /* no free place for another thread or VCPU */
    TAKT_ENACK = -9,     /* I2C: no device answers to the address */
    TAKT_EBUS = -10,     /* I2C: a line is held low, or another master drives the bus; USB: babble,
                            or errors on the wire in spite of retries */
    TAKT_EREFUSED = -11, /* I2C: the device did not take a byte; USB: it answered STALL */
    TAKT_EGONE = -12,    /* the device has been unplugged, or its controller stopped */
};

/* Is instant a strictly earlier than b? Right across the wrap of the clock. */
static inline bool takt_before(takt_time_t a, takt_time_t b)
{
    return (int32_t)(a - b) < 0;
}

#ifdef __cplusplus
}
#endif

#endif
