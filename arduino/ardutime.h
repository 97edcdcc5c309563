/* Qduino's header for time: see Qduino.h. */
#include "Qduino.h"
