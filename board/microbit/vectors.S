/*
 * Vector table of the nRF51822 (reference manual 7.3).
 */
#include "vectors.h"
    .irp source, power_clock, radio, uart0, spi0_twi0, spi1_twi1, reserved5, gpiote, adc, timer0, timer1, \
        timer2, rtc0, temp, rng, ecb, ccm_aar, wdt, rtc1, qdec, lpcomp, swi0, swi1, swi2, swi3, swi4, \
        swi5, reserved26, reserved27, reserved28, reserved29, reserved30, reserved31
    handler \source
    .endr
