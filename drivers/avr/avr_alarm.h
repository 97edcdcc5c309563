/*
 * Alarms for drivers beside the kernel's: compare register B of Timer1, the clock, shared by the
 * drivers that need one. Private to drivers/.
 */
#ifndef TAKT_AVR_ALARM_H
#define TAKT_AVR_ALARM_H

#include <takt/fact.h>
#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct avr_alarm {
    /* in the interrupt, unbracketed; TAKT_FACT("called alarm") */
    void (*fn)(struct avr_alarm *alarm);
    takt_time_t at;
    bool set;
    struct avr_alarm *next;
};

/* fn() is to be called at `at`; at once if that is past. Replaces what was set. Interrupts off. */
void avr_alarm_set(struct avr_alarm *alarm, takt_time_t at);

/* It is not to be called. Interrupts off. */
void avr_alarm_off(struct avr_alarm *alarm);

/* The same, and the record is the caller's again. Interrupts off, and not in a function of an
 * alarm. */
void avr_alarm_forget(struct avr_alarm *alarm);

#ifdef __cplusplus
}
#endif

#endif
