/*
 * Alarms of the ATmegas for drivers/uart/soft.c.
 */
#ifndef TAKT_SOFT_ALARM_H
#define TAKT_SOFT_ALARM_H

#include "../../drivers/avr/avr_alarm.h"

#define SOFT_UART_BAUD (F_CPU / 1666ul) /* 9600 at 16 MHz: 600 cycles an interrupt */
#define SOFT_ALARM_IRQ TIMER1_COMPB_vect_num

#define soft_alarm        avr_alarm
#define soft_alarm_set    avr_alarm_set
#define soft_alarm_off    avr_alarm_off
#define soft_alarm_forget avr_alarm_forget

#endif
