/*
 * General-purpose pins, numbered as the board does (pico: GP0..GP29; stm32f051: as an Arduino Due).
 *
 * stm32f051: pins of the chip with the same bit (PA3, PB3) share an interrupt line. The line is the
 * pin's that asked first until that wants no edges any more; for the others the calls that ask
 * return TAKT_EAGAIN.
 *
 * Where pins are behind a bus (galileo) the calls for them are for threads and block for a
 * transaction or two; elsewhere they return TAKT_ECONTEXT, and what the bus has to say is returned
 * too. Such pins have no edges here, but events (pin_events.h).
 */
#ifndef TAKT_GPIO_H
#define TAKT_GPIO_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Pins below this may have edges. A board with little memory chooses fewer. */
#ifndef TAKT_EDGE_PINS
#define TAKT_EDGE_PINS 32u
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

/* As takt_gpio_on_edge(), but once: before the call the pin's events are masked, and however many
 * come, nothing interrupts until takt_gpio_unmask(); neither if the pin is masked already, whatever
 * was set for it, so that setting it again and again costs no more interrupts than unmasking. */
int takt_gpio_on_event(uint8_t pin, unsigned edges, takt_edge_fn fn, void *arg);

/* The edges asked for that have come since the pin was masked, at most one of each kind; they are
 * forgotten, and the pin stays masked. Either context, O(1). */
unsigned takt_gpio_take_edges(uint8_t pin);

/* Events interrupt again: at once if edges have come since takt_gpio_take_edges(), or if the level
 * lasts. Either context, O(1). */
void takt_gpio_unmask(uint8_t pin);

/* No more calls for this pin once this returns. Either context. TAKT_EINVAL: no such pin. */
int takt_gpio_off_edge(uint8_t pin);

/*
 * Edges of a pin awaited one by one, beside what the calls above have set for the pin, masked or
 * not: each edge awaited costs one interrupt. Any number of watches, also on one pin.
 */
struct takt_edge_watch {
    uint8_t pin;
    void (*fn)(struct takt_edge_watch *watch, takt_time_t at); /* as takt_edge_fn */
    /* the rest is the driver's */
    uint8_t edge;  /* awaited; 0: none */
    uint8_t stale; /* one of that kind has come before and not interrupted yet: not meant */
    bool due;      /* fn is to be called */
    struct takt_edge_watch *next;
};

/* Adds a watch (its pin and fn are set) that awaits nothing yet. Either context. TAKT_EINVAL: no
 * such pin. */
int takt_gpio_watch(struct takt_edge_watch *watch);

/* Awaits the next TAKT_EDGE_FALL or TAKT_EDGE_RISE, from now: fn is called once. 0: none. Either
 * context, also in fn. What has come before does not count. */
void takt_gpio_await(struct takt_edge_watch *watch, unsigned edge);

/* Removes a watch. Thread, O(watches). */
void takt_gpio_unwatch(struct takt_edge_watch *watch);

#ifdef __cplusplus
}
#endif

#endif
