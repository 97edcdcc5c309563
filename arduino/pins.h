/*
 * What the pin functions know of each other; not for sketches.
 */
#ifndef TAKT_ARDUINO_PINS_H
#define TAKT_ARDUINO_PINS_H

#include <takt/pin_set.h>

namespace takt
{

extern takt_pins_t pins_with_pwm; /* that PWM drives */

/* Notes that PWM drives the pin, or no longer; returns what was. */
bool mark_pwm(uint8_t pin, bool on);

} // namespace takt

#endif
