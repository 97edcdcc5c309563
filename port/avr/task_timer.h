/*
 * Timer1 as the clock of tasks that run alone. It starts anew at every tick, with two interrupts: A
 * makes a pass on top of what it interrupts; B just wakes the CPU where nothing runs, and what
 * slept makes the pass. Which of them is on says which is the case; A's flag is what tells of a
 * tick.
 */
#ifndef TAKT_PORT_TASK_TIMER_H
#define TAKT_PORT_TASK_TIMER_H

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#include <takt/types.h>

/* Starts it as it is after reset; `top` is the last count of a tick. Interrupts off. */
static inline void timer_start(uint16_t top, uint8_t clock)
{
    OCR1A = top;
    TCCR1B = clock;
    SMCR = 1 << SE; /* idle: the timer runs on */
}

/* Sleeps until there is a tick. Interrupts off before and after; handlers run inside. */
static inline __attribute__((always_inline)) void timer_wait(void)
{
    TIMSK1 = 1 << OCIE1B;
    while (!(TIFR1 & 1 << OCF1A)) {
        sei();
        sleep_cpu();
        cli();
    }
    TIFR1 = 1 << OCF1A;
    TIMSK1 = 1 << OCIE1A;
}

#endif
