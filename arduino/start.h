/*
 * What the start of a sketch and its loops share; not for sketches.
 */
#ifndef TAKT_ARDUINO_START_H
#define TAKT_ARDUINO_START_H

#include <takt/fact.h>
#include <takt/time.h>

#include "loops.h"

void setup();

/* Handlers that constructors have attached get their pins' events from now on. Where handlers have
 * threads (interrupts.cpp). */
extern "C" void takt_attach_early();

/* Calls the sketch's serialEvent() and serialEvent1(), if it has them and bytes wait. */
void takt_serial_events();

#endif
