/*
 * map and random.
 *
 * random: xorshift32 (Marsaglia, "Xorshift RNGs", 2003), scaled to the range by the high half of a
 * product, which needs no division and favours no value noticeably.
 */
#include "WMath.h"

namespace
{

constexpr uint32_t FIRST = 2463534242u;
uint32_t state = FIRST;

/* Two loops that draw at the same instant may draw the same number; the state stays sound, and
 * never becomes 0. */
uint32_t draw()
{
    uint32_t x = state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return state = x;
}

} // namespace

long map(long x, long from_low, long from_high, long to_low, long to_high)
{
    if (from_high == from_low)
        return to_low;
    return (x - from_low) * (to_high - to_low) / (from_high - from_low) + to_low;
}

long random(long high)
{
    if (high <= 0)
        return 0;
    return static_cast<long>(uint64_t{draw()} * static_cast<uint32_t>(high) >> 32);
}

long random(long low, long high)
{
    if (low >= high)
        return low;
    uint32_t range = static_cast<uint32_t>(high) - static_cast<uint32_t>(low);
    uint32_t above = static_cast<uint32_t>(uint64_t{draw()} * range >> 32);
    return static_cast<int32_t>(static_cast<uint32_t>(low) + above);
}

void randomSeed(unsigned long seed)
{
    if (seed)
        state = static_cast<uint32_t>(seed) * 2654435761u | 1u; /* neighbours start far apart */
}
