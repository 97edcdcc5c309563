/*
 * General-purpose pins, numbered as the board does (pico: GP0..GP29).
 */
#ifndef TAKT_GPIO_H
#define TAKT_GPIO_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum takt_gpio_mode {
    TAKT_GPIO_INPUT,
    TAKT_GPIO_OUTPUT,
    TAKT_GPIO_INPUT_PULLUP,
    TAKT_GPIO_INPUT_PULLDOWN,
};

/* Events of a pin; bits of a mask. A level keeps interrupting for as long as it lasts and nothing
 * changes it, so a handler of a level must end it or call takt_gpio_off_edge(). */
enum takt_edge {
    TAKT_EDGE_LOW = 1,
    TAKT_EDGE_HIGH = 2,
    TAKT_EDGE_FALL = 4,
    TAKT_EDGE_RISE = 8,
};

/* Called in the interrupt, at the highest priority. edges: those seen since the last call; at: the
 * clock when the handler was entered. May use what is allowed in interrupts. */
typedef void (*takt_edge_fn)(uint8_t pin, unsigned edges, takt_time_t at, void *arg);

/*
 * Makes the pin a digital input or output, taking it from PWM, ADC or serial. An output shows the
 * level last written to it (low after reset). Either context. O(1).
 * TAKT_EINVAL: no such pin or mode.
 */
int takt_gpio_mode(uint8_t pin, enum takt_gpio_mode mode);

/* Sets the level an output pin drives; remembered for when an input becomes an output. Either
 * context, safe against other writers. O(1): 13 cycles on the RP2040. TAKT_EINVAL: no such pin. */
int takt_gpio_write(uint8_t pin, bool high);

/* The level at the pin, 0 or 1, outputs included. Either context. O(1). TAKT_EINVAL. */
int takt_gpio_read(uint8_t pin);

/*
 * Calls fn(pin, edges, at, arg) on the events of the mask `edges` from now on; replaces what was
 * set for the pin. Edges that come while the handler runs are merged into one call. Either
 * context. TAKT_EINVAL: no such pin, empty or unknown mask, no function.
 */
int takt_gpio_on_edge(uint8_t pin, unsigned edges, takt_edge_fn fn, void *arg);

/* No more calls for this pin once this returns. Either context. TAKT_EINVAL: no such pin. */
int takt_gpio_off_edge(uint8_t pin);

#ifdef __cplusplus
}
#endif

#endif
