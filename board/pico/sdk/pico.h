/* What every header of the pico's SDK begins with. */
#ifndef TAKT_PICO_H
#define TAKT_PICO_H

#include <pico/platform.h>
#include <pico/types.h>
#include <pico/version.h>

#endif
