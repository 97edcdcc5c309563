/*
 * Arduino's arithmetic. Functions, where Arduino has macros: arguments are evaluated once, and
 * members of these names in other people's classes are left alone.
 */
#ifndef Wmath_h
#define Wmath_h

#include <stdint.h>
#include <cstdlib>
#include <type_traits>

template <typename A, typename B> constexpr std::common_type_t<A, B> min(const A &a, const B &b)
{
    return b < a ? static_cast<std::common_type_t<A, B>>(b)
                 : static_cast<std::common_type_t<A, B>>(a);
}

template <typename A, typename B> constexpr std::common_type_t<A, B> max(const A &a, const B &b)
{
    return a < b ? static_cast<std::common_type_t<A, B>>(b)
                 : static_cast<std::common_type_t<A, B>>(a);
}

/* As Arduino's macro: the type is that of all three together, the comparisons are pairwise. */
template <typename T, typename L, typename H>
constexpr std::common_type_t<T, L, H> constrain(const T &x, const L &low, const H &high)
{
    using R = std::common_type_t<T, L, H>;
    return x < low ? static_cast<R>(low) : high < x ? static_cast<R>(high) : static_cast<R>(x);
}

template <typename T> constexpr auto sq(const T &x)
{
    return x * x;
}

/* abs() of numbers without a sign, which <stdlib.h> leaves ambiguous. */
constexpr unsigned abs(unsigned x)
{
    return x;
}
constexpr unsigned long abs(unsigned long x)
{
    return x;
}
constexpr unsigned long long abs(unsigned long long x)
{
    return x;
}

/* Carries x from one range to the other, in integers, cutting; x may lie outside. */
long map(long x, long from_low, long from_high, long to_low, long to_high);

/* 0 or low up to, not including, high or max(); low when there is nothing between. One sequence for
 * all loops. */
long random(long high);
long random(long low, long high);
/* Starts the sequence that belongs to the seed; 0 is ignored. */
void randomSeed(unsigned long seed);

/* word(h, l) of two bytes, or word(x). */
constexpr uint16_t makeWord(uint16_t w)
{
    return w;
}
constexpr uint16_t makeWord(uint8_t high, uint8_t low)
{
    return static_cast<uint16_t>(high << 8 | low);
}
#define word(...) makeWord(__VA_ARGS__)

extern "C" {
/* Text of a number in base 2..36, and of a real with `precision` decimals, at least |width| wide,
 * aligned to the left when width is negative. */
char *itoa(int value, char *text, int base);
char *utoa(unsigned value, char *text, int base);
char *ltoa(long value, char *text, int base);
char *ultoa(unsigned long value, char *text, int base);
char *dtostrf(double value, signed char width, unsigned char precision, char *text);
}

#endif
