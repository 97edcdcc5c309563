/*
 * Pulse width modulation on any pin, made by hardware. pico: pins n and n + 16, and each even pin
 * and the next, belong to one of eight slices; pins of one slice share the frequency last set.
 * stm32f051: pins 2 to 6, 9 to 12, 30 and 31, of which 2 and 9 share a frequency, and 4 and 5, and
 * 3, 6, 30 and 31 (6 and 30, and 3 and 31, even the duty); up to 24 MHz. galileo: pins 3, 5, 6, 9,
 * 10 and 11, 126 Hz and up, as behind a bus (gpio.h).
 */
#ifndef TAKT_PWM_H
#define TAKT_PWM_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Drives the pin with a rectangle: frequency_hz 8..62500000; duty 0 (always low) to 65535 (always
 * high), rounded to the steps there are (clock / frequency, at most 65535). The other pin of the
 * slice keeps its duty at the new frequency. Either context, though not for two pins of a slice
 * at once. O(1), a few divisions. TAKT_EINVAL: no such pin, frequency out of range.
 */
int takt_pwm_write(uint8_t pin, uint32_t frequency_hz, uint16_t duty);

/* AVR: as takt_pwm_write() at this frequency, of 255 parts so many; fast after the first call for a
 * timer. */
#define TAKT_PWM_LEVEL_HZ 490u
int takt_pwm_level(uint8_t pin, uint8_t level);

/* Makes the pin an ordinary output at the level last written. Either context. TAKT_EINVAL. */
int takt_pwm_stop(uint8_t pin);

#ifdef __cplusplus
}
#endif

#endif
