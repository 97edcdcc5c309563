/*
 * What TIM2 does beside the alarm, in programs that link it. Private to drivers/.
 */
#ifndef TAKT_STM32F0_CLOCK_H
#define TAKT_STM32F0_CLOCK_H

#include <stdint.h>

__asm__(".globl isr_tim2"); /* brings stm32f0_alarm.c, which calls these */

/* The counter has wrapped (stm32f0_uptime.c). Interrupt context, as is the next. */
void stm32f0_clock_wrapped_isr(void);

/* Compare channels 2 to 4 have come, as in sr (i2c). */
void stm32f0_clock_alarms_isr(uint32_t channels);

#endif
