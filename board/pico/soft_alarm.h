/*
 * Alarms of the pico for drivers/uart/soft.c: functions of the timer, as a sketch may have them.
 */
#ifndef TAKT_SOFT_ALARM_H
#define TAKT_SOFT_ALARM_H

#include <pico/time.h>
#include <takt/types.h>

#define SOFT_UART_BAUD 19200u /* half a bit is 26 us */

#ifdef __cplusplus
extern "C" {
#endif

struct soft_alarm {
    void (*fn)(struct soft_alarm *alarm); /* in the interrupt */
    takt_time_t at;
    bool set, rings;
    struct repeating_timer timer;
};

/* fn() is to be called at `at`; at once if that is past. Interrupts off. */
void soft_alarm_set(struct soft_alarm *alarm, takt_time_t at);

/* It is not to be called, and the record is the caller's again. Interrupts off. */
void soft_alarm_off(struct soft_alarm *alarm);
#define soft_alarm_forget soft_alarm_off

#ifdef __cplusplus
}
#endif

#endif
