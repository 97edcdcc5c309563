/* The second bus, where there is one; in a file of its own so that only its users link it. */
#include "Wire.h"

#ifdef PIN_WIRE1_SDA
namespace takt
{
extern WireSession wire1_sessions[WIRE_LOOPS]; /* Wire.cpp asks for them */
WireSession wire1_sessions[WIRE_LOOPS];
} // namespace takt

TwoWire Wire1(1, PIN_WIRE1_SDA, PIN_WIRE1_SCL, takt::wire1_sessions);
#endif
