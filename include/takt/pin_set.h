/*
 * Sets of pins that may have edges.
 */
#ifndef TAKT_PIN_SET_H
#define TAKT_PIN_SET_H

#include <takt/gpio.h>
#include <takt/set.h>

#ifdef __cplusplus
extern "C" {
#endif

#if TAKT_EDGE_PINS <= 16
typedef uint16_t takt_pins_t;
#else
typedef uint32_t takt_pins_t;
#endif

static inline takt_pins_t takt_pins_of(uint8_t pin)
{
    return (takt_pins_t)((takt_pins_t)1 << pin);
}

static inline void takt_pins_add(takt_pins_t *pins, takt_pins_t more)
{
    *pins = (takt_pins_t)(*pins | more);
}

static inline void takt_pins_remove(takt_pins_t *pins, takt_pins_t others)
{
    *pins = (takt_pins_t)(*pins & ~others);
}

/* Without the lowest. */
static inline takt_pins_t takt_pins_rest(takt_pins_t pins)
{
    return (takt_pins_t)(pins & (pins - 1u));
}

static inline bool takt_pins_has(takt_pins_t pins, uint8_t pin)
{
    return (pins & takt_pins_of(pin)) != 0;
}

/* The lowest pin of a set that is not empty. */
static inline uint8_t takt_pins_first(takt_pins_t pins)
{
    unsigned base = 0; /* a set of threads may be smaller */
    for (; sizeof(takt_set_t) < sizeof pins && (takt_set_t)pins == 0; base += TAKT_PLACES)
        pins = (takt_pins_t)(pins >> (TAKT_PLACES - 1) % (8 * sizeof pins) >> 1);
    return (uint8_t)(base + takt_set_first((takt_set_t)pins));
}

#ifdef __cplusplus
}
#endif

#endif
