/*
 * Vector table of the LM3S6965 (data sheet 2.5.4).
 */
#include "vectors.h"
    .irp source, gpioa, gpiob, gpioc, gpiod, gpioe, uart0, uart1, ssi0, i2c0, pwm_fault, pwm0, pwm1, \
        pwm2, qei0, adc0, adc1, adc2, adc3, watchdog, timer0a, timer0b, timer1a, timer1b, timer2a, \
        timer2b, comparator0, comparator1, reserved27, sysctl, flash, gpiof, gpiog, reserved32, \
        uart2, reserved34, timer3a, timer3b, i2c1, qei1, reserved39, reserved40, reserved41, \
        ethernet, hibernate
    handler \source
    .endr
