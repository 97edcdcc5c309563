/*
 * What the pin functions know of each other; not for sketches.
 */
#ifndef TAKT_ARDUINO_PINS_H
#define TAKT_ARDUINO_PINS_H

#include <stdint.h>

namespace takt
{

extern uint32_t pins_with_pwm; /* bit n: PWM drives pin n */

/* Notes that PWM drives the pin, or no longer; returns what was. */
bool mark_pwm(uint8_t pin, bool on);

} // namespace takt

#endif
