/*
 * The kernel's alarm on CMSDK timer 0, at the CPU's rate. Linked with code that sets one.
 */
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/uptime.h>

#include "../cmsdk/cmsdk.h"

#define LONGEST_ALARM 160000000u /* us; 2^32 ticks are more */

/* A long way off it rings too early, which does no harm but keep takt_uptime_us() up to date. */
void port_alarm(takt_time_t at)
{
    uint32_t us = at - port_now();
    CMSDK_TIMER0->ctrl = 0;
    CMSDK_TIMER0->reload = 0; /* stops at 0 */
    nvic_enable(CMSDK_IRQ_TIMER0, NVIC_CLOCK);
    if ((int32_t)us <= 0) {
        nvic_pend(CMSDK_IRQ_TIMER0);
        return;
    }
    CMSDK_TIMER0->value = (us < LONGEST_ALARM ? us : LONGEST_ALARM) * CMSDK_MHZ;
    CMSDK_TIMER0->ctrl = CMSDK_TIMER_RUN | CMSDK_TIMER_INT;
}

void isr_timer0(void)
{
    CMSDK_TIMER0->intclear = 1;
    (void)takt_uptime_us();
    takt_alarm_isr();
}
