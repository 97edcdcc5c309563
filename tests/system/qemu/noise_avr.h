/*
 * noise.h on AVR: timer 2, whose 8 bits count cycles, or more with a prescaler; what is left of the
 * division is waited for before, so that every distance is met to the cycle.
 */
#ifndef NOISE_AVR_H
#define NOISE_AVR_H

#include <takt/port.h>

#define NOISE_HANDLER isr_TIMER2_COMPA
#define NOISE_MHZ     (F_CPU / 1000000u)

PORT_VECTOR_(TIMER2_COMPA_vect, "isr_TIMER2_COMPA");
void isr_TIMER2_COMPA(void) __attribute__((used));

static inline void noise_open(uint8_t priority)
{
    (void)priority;
    TIMSK2 = 1u << OCIE2A;
}

/* Waits for `cycles` % 8 and some more, always the same. */
static inline void noise_wait(uint8_t cycles)
{
    __asm__ volatile(".irp bit, 0, 1, 1, 2, 2, 2, 2\n\t"
                     "sbrc %0, \\bit\n\trjmp .+0\n\t"
                     ".endr" ::"r"(cycles));
}

static void noise_after(uint32_t ticks)
{
    static const uint8_t shifts[] = {0, 3, 5, 6, 7, 8, 10};
    uint8_t select = 0;
    while (ticks >> shifts[select] > 250)
        select++;
    TCCR2B = 0;
    TCNT2 = 0;
    OCR2A = (uint8_t)(ticks >> shifts[select]);
    TIFR2 = 1u << OCF2A;
    noise_wait(shifts[select] ? (uint8_t)ticks : 0);
    GTCCR = 1u << PSRASY;
    TCCR2B = (uint8_t)(select + 1);
}

static inline void noise_done(void)
{
    TCCR2B = 0;
    TIFR2 = 1u << OCF2A;
}

#endif
