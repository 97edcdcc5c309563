/*
 * Analog inputs.
 *
 * Below is the pico. stm32f051: pins 14..19, also 4, 5, 10..13, 28, 29, 3 and 6, which are no
 * Arduino names for it; about 4 us. galileo: pins 14..19, over SPI; thread only, about 27 us;
 * TAKT_ECONTEXT also while holding a mutex, TAKT_EBUS when the converter gives no answer that makes
 * sense. AVR: about 0.11 ms; in an interrupt, too, where a conversion that it has interrupted ends
 * first, and is made again afterwards.
 */
#ifndef TAKT_ADC_H
#define TAKT_ADC_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Converts the voltage at a pin: 0 (ground) .. 4095 (reference, 3.3 V on the pico). pico: pins
 * 26..29. The pin becomes an analog input until takt_gpio_mode(). Thread or main; does not block,
 * takes about 4 us on the pico (2 us of them the conversion), during which other threads wait (a
 * mutex of ceiling 0) but interrupts do not. TAKT_EINVAL: not an analog pin; TAKT_ECONTEXT: in an
 * interrupt.
 */
int takt_adc_read(uint8_t pin);

/* AVR: what pins are converted against from now on, as REFS1 and REFS0 of the register ADMUX have
 * it; 1, the supply, after the start. Either context. TAKT_EINVAL. */
int takt_adc_reference(uint8_t refs);

#ifdef __cplusplus
}
#endif

#endif
