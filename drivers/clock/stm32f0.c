/*
 * The kernel clock on TIM2, a free-running 32-bit counter of microseconds (RM0091 chapter 18).
 */
#include <takt/port.h>

#include "../stm32f0/start.h"

STM32F0_START_ADD(clock, 20, STM32F0_RCC->apb1enr, STM32F0_APB1_TIM2);
STM32F0_START(scale, 30, STM32F0_TIM2->psc, STM32F0_SYS_HZ / 1000000u - 1u);
STM32F0_START(wrap, 30, STM32F0_TIM2->arr, 0xFFFFFFFFu);
STM32F0_START(load, 31, STM32F0_TIM2->egr, STM32F0_TIMER_UPDATE); /* psc counts from now on */
STM32F0_START(run, 34, STM32F0_TIM2->cr1, STM32F0_TIMER_ON);

takt_time_t port_now(void)
{
    return STM32F0_TIM2->cnt;
}
