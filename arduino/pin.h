/* Qduino's header for pins: see Qduino.h. */
#include "Qduino.h"
