/* What sketches and libraries for the RP2040 take for granted. */
#ifndef TAKT_PICO_STDLIB_H
#define TAKT_PICO_STDLIB_H

#include <hardware/gpio.h>
#include <pico/platform.h>
#include <pico/time.h>

#endif
