/*
 * The upper half of the time since start: TIM2's wraps counted. Apart from stm32f0.c, so that
 * programs that do not ask for it carry nothing for it.
 */
#include <takt/port.h>
#include <takt/uptime.h>

#include "../stm32f0/start.h"
#include "stm32f0_clock.h"

STM32F0_START_ADD(wraps, 39, STM32F0_TIM2->dier, STM32F0_TIMER_UPDATE);

static uint32_t wraps; /* written with interrupts off or by the handler */

void stm32f0_clock_wrapped_isr(void)
{
    stm32f0_timer_clear(STM32F0_TIM2, STM32F0_TIMER_UPDATE);
    wraps++;
}

uint64_t takt_uptime_us(void)
{
    port_irq_t irq = port_irq_save();
    uint32_t high = wraps, low = STM32F0_TIM2->cnt;
    if (STM32F0_TIM2->sr & STM32F0_TIMER_UPDATE) { /* not counted yet: before or after low? */
        low = STM32F0_TIM2->cnt;
        high++;
    }
    port_irq_restore(irq);
    return (uint64_t)high << 32 | low;
}
