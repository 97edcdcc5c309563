/*
 * The galileo's expander, for the drivers that share it. Private to drivers/.
 */
#ifndef TAKT_GALILEO_EXPANDER_H
#define TAKT_GALILEO_EXPANDER_H

#include <galileo.h>

#include "../expander/cy8c9540a.h"

struct galileo_pin {
    uint8_t port, bit;
};

extern struct cy8c9540a galileo_expander;
extern const struct galileo_pin galileo_pins[GALILEO_DIGITAL_PINS];

/* May the caller wait for the expander? Not in interrupts and with interrupts off, not before
 * takt_start() and not while holding a mutex. Either context. */
bool galileo_may_wait(void);

#endif
