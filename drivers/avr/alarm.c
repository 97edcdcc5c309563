/*
 * See avr_alarm.h. The list has every alarm that has been set and not been forgotten, few of them;
 * the register is set for the earliest.
 */
#include <takt/port.h>

#include "../clock/avr_clock.h"
#include "avr_alarm.h"

#define SOON 4u /* ticks: longer than from reading the counter to writing the register */

static struct avr_alarm *alarms;
static bool rings; /* the register is set when all have been called */

static struct avr_alarm *earliest(void)
{
    struct avr_alarm *first = NULL;
    for (struct avr_alarm *a = alarms; a != NULL; a = a->next)
        if (a->set && (first == NULL || takt_before(a->at, first->at)))
            first = a;
    return first;
}

/* The register matches once in every round of the counter; before the last one nothing is due. */
static void arm(void)
{
    const struct avr_alarm *first = earliest();
    if (first == NULL) {
        TIMSK1 &= (uint8_t) ~(1u << OCIE1B);
        return;
    }
    OCR1B = (uint16_t)((uint16_t)first->at * AVR_CLOCK_TICKS);
    TIFR1 = 1u << OCF1B;
    TIMSK1 |= 1u << OCIE1B;
    if (!takt_before(port_now(), first->at))
        OCR1B = TCNT1 + SOON;
}

void avr_alarm_set(struct avr_alarm *alarm, takt_time_t at)
{
    struct avr_alarm *a = alarms;
    while (a != NULL && a != alarm)
        a = a->next;
    if (a == NULL) {
        alarm->next = alarms;
        alarms = alarm;
    }
    alarm->at = at;
    alarm->set = true;
    if (!rings)
        arm();
}

void avr_alarm_off(struct avr_alarm *alarm)
{
    if (!alarm->set)
        return;
    alarm->set = false;
    if (!rings)
        arm();
}

void avr_alarm_forget(struct avr_alarm *alarm)
{
    avr_alarm_off(alarm);
    for (struct avr_alarm **link = &alarms; *link != NULL; link = &(*link)->next)
        if (*link == alarm) {
            *link = alarm->next;
            return;
        }
}

PORT_ISR(TIMER1_COMPB)
{
    TAKT_FACT("calls alarm");
    takt_time_t now = port_now();
    rings = true;
    for (struct avr_alarm *a = alarms; a != NULL; a = a->next)
        if (a->set && !takt_before(now, a->at)) {
            a->set = false;
            a->fn(a);
        }
    rings = false;
    arm();
}
