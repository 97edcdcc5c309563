/*
 * The kernel's alarm on the STM32F0: compare channel 1 of TIM2, the clock (RM0091 chapter 18).
 * Linked with code that sets one or has another interrupt of TIM2.
 *
 * A channel reports when the counter becomes equal to it, so an instant already past would come 71
 * minutes late. port_alarm() therefore arms first and looks at the clock afterwards: whatever the
 * clock has reached by then is made to happen by software. Both may happen for one instant; they
 * share one bit.
 */
#include <takt/isr.h>
#include <takt/port.h>

#include "../stm32f0/start.h"
#include "stm32f0_clock.h"

STM32F0_START(quiet, 32, STM32F0_TIM2->sr, 0);
STM32F0_START(tell, 33, STM32F0_TIM2->dier, STM32F0_TIMER_COMPARE1); /* drivers add theirs later */
STM32F0_START_ADD(priority, 35, *(stm32f0_reg *)0xE000E40Cu, 1u << 30);
STM32F0_START(enable, 36, *(stm32f0_reg *)0xE000E100u, 1u << STM32F0_IRQ_TIM2);

void port_alarm(takt_time_t at)
{
    stm32f0_timer_clear(STM32F0_TIM2, STM32F0_TIMER_COMPARE1);
    /* the previous one may have come, with interrupts off */
    if (!(STM32F0_TIM2->sr & STM32F0_TIM2->dier))
        stm32f0_irq_drop(STM32F0_IRQ_TIM2);
    STM32F0_TIM2->ccr[0] = at;
    if (!takt_before(STM32F0_TIM2->cnt, at))
        STM32F0_TIM2->egr = STM32F0_TIMER_COMPARE1;
}

__attribute__((weak)) void stm32f0_clock_wrapped_isr(void) {}
__attribute__((weak)) void stm32f0_clock_alarms_isr(uint32_t channels)
{
    (void)channels;
}

/* One thing at a time: what is left asks again. */
void isr_tim2(void)
{
    uint32_t due = STM32F0_TIM2->sr & STM32F0_TIM2->dier;
    if (due & STM32F0_TIMER_COMPARE1) {
        stm32f0_timer_clear(STM32F0_TIM2, STM32F0_TIMER_COMPARE1);
        takt_alarm_isr();
    } else if (due & STM32F0_TIMER_UPDATE) {
        stm32f0_clock_wrapped_isr();
    } else {
        stm32f0_clock_alarms_isr(due);
    }
}
