/*
 * PWM in software (avr_soft.c), for programs that link it; private to drivers/.
 */
#ifndef TAKT_PWM_AVR_H
#define TAKT_PWM_AVR_H

#include <stdint.h>

/* As takt_pwm_write(), for any pin and up to 2 kHz. The pin is an output. */
int avr_soft_write(uint8_t pin, uint32_t frequency_hz, uint16_t duty);

/* Not by software any more, where it was. Interrupts off. */
void avr_soft_release(uint8_t pin);

#endif
