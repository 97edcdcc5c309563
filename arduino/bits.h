/*
 * Resolutions of analog inputs and outputs; not for sketches.
 */
#ifndef TAKT_ARDUINO_BITS_H
#define TAKT_ARDUINO_BITS_H

#include <stdint.h>

namespace takt
{

/* 1..16. */
inline uint8_t sane_bits(int bits)
{
    return static_cast<uint8_t>(bits < 1 ? 1 : bits > 16 ? 16 : bits);
}

} // namespace takt

#endif
