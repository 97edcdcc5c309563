/* Qduino's header for loops: see Qduino.h. */
#include "Qduino.h"
