/*
 * Events of pins for a bottom half (io.h): the top half notes that something happened at a pin and
 * masks it; the bottom half takes one event a pin, however many came, and the pin interrupts again.
 * So a pin costs at most one interrupt for each time the bottom half has taken its event.
 */
#ifndef TAKT_PIN_EVENTS_H
#define TAKT_PIN_EVENTS_H

#include <takt/gpio.h>
#include <takt/io.h>

#ifdef __cplusplus
extern "C" {
#endif

struct takt_pin_event {
    uint8_t pin;
    uint8_t merged; /* further edges seen before it was taken; a lower bound: of edges that come
                       close together hardware keeps one of each kind */
    takt_time_t at; /* when the top half was entered */
};

/*
 * Events of the mask `edges` (enum takt_edge) at the pin go to `io`, on behalf of the thread at
 * `place`; replaces what was set for the pin, and drops an event not taken yet. A level brings one
 * event after another for as long as it lasts. Thread; may wait for the device that has the pin.
 * TAKT_EINVAL: no such pin, or it cannot tell of such events.
 */
int takt_pin_events_on(uint8_t pin, unsigned edges, struct takt_io_vcpu *io, uint8_t place);

/* No more events of the pin; one not taken yet is dropped. Thread; may wait. TAKT_EINVAL: no such
 * pin. */
int takt_pin_events_off(uint8_t pin);

/*
 * Bottom half: takes the next event of this batch; false ends the batch, and the next call begins
 * another. A batch has each pin once, in order of pins, so that none can starve another. The pin
 * taken is unmasked when the next event is asked for. Thread; may wait.
 */
bool takt_pin_events_take(struct takt_pin_event *event);

/*
 * Bottom half: the pin, taken last, stays masked until takt_pin_events_release(pin); for a pin
 * whose handler has not got round to the event before, so that a storm costs a handler's call at
 * most two events. Without effect for a pin that shares its interrupt with others.
 */
void takt_pin_events_hold(uint8_t pin);

/* The pin interrupts again; at once if something has happened meanwhile. Thread. */
void takt_pin_events_release(uint8_t pin);

#ifdef __cplusplus
}
#endif

#endif
