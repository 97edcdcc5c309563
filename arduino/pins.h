/*
 * What the pin functions know of each other; not for sketches.
 */
#ifndef TAKT_ARDUINO_PINS_H
#define TAKT_ARDUINO_PINS_H

#include <stdint.h>

namespace takt
{

#ifdef __AVR__ /* the drivers know */
bool has_pwm(uint8_t pin);
inline void mark_pwm(uint8_t, bool) {}
#else
extern uint32_t pins_with_pwm; /* bit n: PWM drives pin n */

inline uint32_t pin_bit(uint8_t pin)
{
    return uint32_t{1} << (pin & 31u);
}

inline bool has_pwm(uint8_t pin)
{
    return pins_with_pwm && (pins_with_pwm & pin_bit(pin)); /* mostly there is none */
}

/* Notes that PWM drives the pin, or no longer. */
void mark_pwm(uint8_t pin, bool on);
#endif

} // namespace takt

#endif
