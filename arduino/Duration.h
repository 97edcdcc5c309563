/*
 * Durations as sketches write them: 20_ms, 500_us. Where a loop's budget or period is meant, a
 * plain number is milliseconds.
 */
#ifndef TAKT_DURATION_H
#define TAKT_DURATION_H

#include <stdint.h>

namespace takt
{

struct Duration {
    int64_t us;

    constexpr Duration operator-() const { return {-us}; }
    constexpr Duration operator+(Duration d) const { return {us + d.us}; }
    constexpr Duration operator-(Duration d) const { return {us - d.us}; }
    constexpr Duration operator*(int n) const { return {us * n}; }
    constexpr bool operator<(Duration d) const { return us < d.us; }
    constexpr bool operator==(Duration d) const { return us == d.us; }
};

constexpr int64_t duration_us(Duration d)
{
    return d.us;
}
constexpr int64_t duration_us(int ms)
{
    return int64_t{1000} * ms;
}
constexpr int64_t duration_us(unsigned ms)
{
    return int64_t{1000} * ms;
}
constexpr int64_t duration_us(long ms)
{
    return int64_t{1000} * ms;
}
constexpr int64_t duration_us(unsigned long ms)
{
    return int64_t{1000} * static_cast<int64_t>(ms);
}
constexpr int64_t duration_us(double ms)
{
    return static_cast<int64_t>(ms * 1000 + (ms < 0 ? -0.5 : 0.5));
}

} // namespace takt

constexpr takt::Duration operator""_us(unsigned long long n)
{
    return {static_cast<int64_t>(n)};
}
constexpr takt::Duration operator""_ms(unsigned long long n)
{
    return {static_cast<int64_t>(n) * 1000};
}
constexpr takt::Duration operator""_s(unsigned long long n)
{
    return {static_cast<int64_t>(n) * 1000000};
}
constexpr takt::Duration operator""_ms(long double n)
{
    return {static_cast<int64_t>(n * 1000 + 0.5L)};
}

#endif
