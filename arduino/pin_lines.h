/*
 * What the interrupt functions know of each other; not for sketches. The functions below are weak
 * and do nothing in programs that do not link interrupts.cpp, which then cost nothing.
 */
#ifndef TAKT_ARDUINO_PIN_LINES_H
#define TAKT_ARDUINO_PIN_LINES_H

#include <takt/gpio.h>
#include <takt/port.h>
#include <takt/sem.h>

#include "Arduino.h"

namespace takt
{

/* The pin has no handler any more that a thread calls. */
void drop_handler(uint8_t pin);

/* Stands for the handlers that get an argument, and calls that of a pin (attach_param.cpp). */
void has_argument();
void call_with_argument(uint8_t pin);

/* Keeps such a handler of a pin, and calls it (param_handlers.cpp). False: no such pin, or none. */
bool keep(int pin, voidFuncPtrParam function, void *argument);
void call_kept(uint8_t pin);

/* No handler's call begins from now on, and those that have begun have ended or wait for a lock;
 * until the same thread lets them. True: interrupts are off; false: the thread holds them
 * already, or no handler has a thread, and interrupts are as they were. */
bool hold_handlers();
void let_handlers_begin();

/* takt_sem_wait() for a lock, which may be that of a loop about to hold handlers: a handler that
 * calls this has not begun again before it has the lock. */
int wait_for_lock(struct takt_sem *sem);

/* Whether they are off or not. */
inline void switch_interrupts_on()
{
    (void)port_irq_save();
    port_irq_restore(0);
}

/* As a mask of enum takt_edge; 0: no such mode. */
inline unsigned edges_of(int mode)
{
    switch (mode) {
    case LOW:
        return TAKT_EDGE_LOW;
    case HIGH:
        return TAKT_EDGE_HIGH;
    case FALLING:
        return TAKT_EDGE_FALL;
    case RISING:
        return TAKT_EDGE_RISE;
    case CHANGE:
        return TAKT_EDGE_RISE | TAKT_EDGE_FALL;
    }
    return 0;
}

} // namespace takt

#endif
