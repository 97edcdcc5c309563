/*
 * Sets of pins that may have edges.
 */
#ifndef TAKT_PIN_SET_H
#define TAKT_PIN_SET_H

#include <takt/set.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t takt_pins_t;

static inline takt_pins_t takt_pins_of(uint8_t pin)
{
    return (takt_pins_t)1 << pin;
}

static inline bool takt_pins_has(takt_pins_t pins, uint8_t pin)
{
    return (pins >> pin) & 1u;
}

/* The lowest pin of a set that is not empty. */
static inline uint8_t takt_pins_first(takt_pins_t pins)
{
    unsigned base = 0; /* a set of threads may be smaller */
    for (; sizeof(takt_set_t) < sizeof pins && (takt_set_t)pins == 0; base += TAKT_PLACES)
        pins = pins >> (TAKT_PLACES - 1) >> 1;
    return (uint8_t)(base + takt_set_first((takt_set_t)pins));
}

#ifdef __cplusplus
}
#endif

#endif
