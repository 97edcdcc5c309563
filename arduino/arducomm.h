/* Qduino's header for channels and ring buffers: see Qduino.h. */
#include "Qduino.h"
