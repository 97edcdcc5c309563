/* The second bus, where there is one; in a file of its own so that only its users link it. */
#include "Wire.h"

#ifdef PIN_WIRE1_SDA
static takt::WireSession sessions1[WIRE_LOOPS];
TwoWire Wire1(1, PIN_WIRE1_SDA, PIN_WIRE1_SCL, sessions1);
#endif
