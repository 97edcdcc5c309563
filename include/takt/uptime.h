/*
 * Time since start that never wraps.
 */
#ifndef TAKT_UPTIME_H
#define TAKT_UPTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Microseconds since the board's timer started; its low 32 bits are takt_now(). Either context.
 * O(1). */
uint64_t takt_uptime_us(void);

/* AVR: milliseconds since then, its low 32 bits, without a division more often than every 32 ms.
 * Either context. */
uint32_t takt_uptime_ms(void);

#ifdef __cplusplus
}
#endif

#endif
