/*
 * The clock's scale. Private to drivers/.
 */
#ifndef TAKT_AVR_CLOCK_H
#define TAKT_AVR_CLOCK_H

#include <takt/port.h>

#define AVR_CLOCK_TICKS   ((uint16_t)(F_CPU / 8000000ul)) /* in a microsecond: 1 or 2 */
#define AVR_CLOCK_WRAP_US (65536ul / AVR_CLOCK_TICKS)

/* How far avr_ms.c is in this round of the counter, whose end makes it 0. */
extern volatile uint8_t avr_clock_ms;

#endif
