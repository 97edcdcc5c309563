/*
 * Where a program on a PC stops for what watches it in an emulator (tools/takt/machine/pc.py):
 * it has changed a pin, or told a controller to look at what it wrote. On a PC nothing watches.
 */
#ifndef TAKT_DRIVERS_CLOCK_PC_STOP_H
#define TAKT_DRIVERS_CLOCK_PC_STOP_H

#include <takt/types.h>

/* From outside: address of the value of a timer that counts in 10 ns; 0: nothing watches. */
extern uint32_t pc_stop_behind;

/* From outside: whether it stops at doorbells of USB controllers, too. */
extern bool pc_stop_at_doorbells;

enum pc_stop_why { PC_STOP_PIN, PC_STOP_DOORBELL };

/* Stops, if it is watched. Interrupts off. */
void pc_stop(enum pc_stop_why why);

#endif
