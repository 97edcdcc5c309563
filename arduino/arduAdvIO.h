/* Qduino's header for advanced I/O: see Qduino.h. */
#include "Qduino.h"
