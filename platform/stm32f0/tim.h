/* Timers: what counting and registers share. */
#ifndef TAKT_STM32F0_TIM_H
#define TAKT_STM32F0_TIM_H

#include "stm32f0.h"

enum { CR1_CEN = 1, CR1_UDIS = 2, CR1_URS = 4, CR1_OPM = 8 };

uint32_t tim_top(unsigned n);
bool tim_running(const struct tim *t);
void tim_take_over(struct tim *t);                   /* what is preloaded */
void tim_settle(struct takt_machine *m, unsigned n); /* after any change */

#endif
