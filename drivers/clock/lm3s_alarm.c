/*
 * The kernel's alarm on timer 0 of an LM3S (data sheet 9). Linked with code that sets one.
 */
#include <takt/isr.h>
#include <takt/port.h>

#include "../lm3s/lm3s.h"

enum {
    TIMER_ONE_SHOT = 1,
    TIMER_RUN = 1,
    TIMER_INT = 1,
    LONGEST_ALARM = 80000000, /* us; 2^32 ticks are more */
};

/* A long way off it rings too early, which does no harm. */
void port_alarm(takt_time_t at)
{
    uint32_t us = at - port_now();
    LM3S_TIMER0->ctl = 0;
    if (LM3S_TIMER0->imr == 0) { /* the first */
        LM3S_TIMER0->cfg = 0;
        LM3S_TIMER0->tamr = TIMER_ONE_SHOT;
        LM3S_TIMER0->imr = TIMER_INT;
        nvic_enable(LM3S_IRQ_TIMER0A, NVIC_CLOCK);
    }
    if ((int32_t)us <= 0) {
        nvic_pend(LM3S_IRQ_TIMER0A);
        return;
    }
    LM3S_TIMER0->tailr = (us < LONGEST_ALARM ? us : LONGEST_ALARM) * LM3S_MHZ;
    LM3S_TIMER0->ctl = TIMER_RUN;
}

void isr_timer0a(void)
{
    LM3S_TIMER0->icr = TIMER_INT;
    takt_alarm_isr();
}
