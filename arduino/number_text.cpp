/*
 * Numbers to text and back.
 *
 * Reals: a double (of 64 bits, or of 32 on AVR) below 2^32 is cut into 32 integer bits and 64
 * fraction bits, exactly down to 2^-64. Multiplying the fraction by ten pushes out one decimal
 * digit at a time; what remains says which way to round. No floating-point instruction is involved.
 */
#include "number_text.h"

#include <float.h>
#include <string.h>

namespace takt
{

namespace
{

template <typename T> char *digits_before(char *end, T v, unsigned base, char ten)
{
    do {
        unsigned digit = static_cast<unsigned>(v % base);
        v = static_cast<T>(v / base);
        *--end = static_cast<char>(digit < 10 ? '0' + digit : ten + digit - 10);
    } while (v);
    return end;
}

struct Fixed {
    uint32_t whole;
    uint64_t fraction; /* in units of 2^-64 */
};

/* The bits of a double. */
template <size_t bytes> struct Whole {
    using type = uint64_t;
};
template <> struct Whole<4> {
    using type = uint32_t;
};
using Bits = Whole<sizeof(double)>::type;

constexpr unsigned MANTISSA = DBL_MANT_DIG - 1; /* bits of it that are written down */
constexpr unsigned UNITS = DBL_MAX_EXP - 1 + MANTISSA; /* exponent with which it counts units */
constexpr Bits INFINITE = static_cast<Bits>(2 * DBL_MAX_EXP - 1) << MANTISSA;
constexpr Bits MAGNITUDE = INFINITE | (INFINITE - 1);
constexpr Bits LARGEST = /* 4294967040.0, Arduino's limit, whatever the size */
    (static_cast<Bits>(DBL_MAX_EXP - 1 + 32) << MANTISSA) - (Bits{1} << (MANTISSA - 23));

/* Bits of a double of magnitude below 2^32, without sign. */
Fixed fixed_of(Bits bits)
{
    unsigned exponent = static_cast<unsigned>(bits >> MANTISSA);
    if (exponent == 0)
        return {0, 0};
    uint64_t mantissa = (bits & ((Bits{1} << MANTISSA) - 1)) | Bits{1} << MANTISSA;
    if (exponent >= UNITS) /* by 8 at most */
        return {static_cast<uint32_t>(mantissa << (exponent - UNITS)), 0};
    unsigned shift = UNITS - exponent; /* value = mantissa / 2^shift */
    if (shift < 64)
        return {static_cast<uint32_t>(mantissa >> shift), mantissa << (64 - shift)};
    return {0, shift < 128 ? mantissa >> (shift - 64) : 0};
}

/* The next decimal digit of a fraction, which keeps the rest. */
char next_digit(uint64_t &fraction)
{
    uint64_t low = (fraction & 0xFFFFFFFFu) * 10;
    uint64_t high = (fraction >> 32) * 10 + (low >> 32);
    fraction = high << 32 | (low & 0xFFFFFFFFu);
    return static_cast<char>('0' + (high >> 32));
}

/* Adds one to the last of n decimal digits; true when it carries out of the first. */
bool round_up(char *text, size_t n)
{
    while (n) {
        if (text[--n] != '9') {
            text[n]++;
            return false;
        }
        text[n] = '0';
    }
    return true;
}

size_t word(char *out, const char *three_letters)
{
    memcpy(out, three_letters, 3);
    return 3;
}

size_t fixed_text(char *out, Fixed value, unsigned digits)
{
    char fraction[REAL_DIGITS];
    for (unsigned i = 0; i < digits; i++)
        fraction[i] = next_digit(value.fraction);
    if (value.fraction >> 63 && round_up(fraction, digits))
        value.whole++;
    char whole[10];
    char *start = digits_before(whole + sizeof whole, value.whole, 10, 'a');
    size_t n = static_cast<size_t>(whole + sizeof whole - start);
    memcpy(out, start, n);
    if (digits) {
        out[n++] = '.';
        memcpy(out + n, fraction, digits);
    }
    return n + digits;
}

constexpr int LARGE = DBL_MAX_10_EXP - 8; /* 300, or 30 */

double power_of_ten(int n)
{
    double power = 1, square = 10;
    for (; n; n >>= 1, square *= square)
        if (n & 1)
            power *= square;
    return power;
}

} // namespace

char *unsigned_text(char *end, unsigned long v, unsigned base, char ten)
{
    return digits_before(end, v, base, ten);
}

char *unsigned_text(char *end, unsigned long long v, unsigned base, char ten)
{
    return digits_before(end, v, base, ten);
}

char *signed_text(char *end, long v, unsigned base, char ten)
{
    bool minus = v < 0 && base == 10;
    unsigned long bits = static_cast<unsigned long>(v);
    char *start = digits_before(end, minus ? 0 - bits : bits, base, ten);
    if (minus)
        *--start = '-';
    return start;
}

char *signed_text(char *end, long long v, unsigned base, char ten)
{
    bool minus = v < 0 && base == 10;
    unsigned long long bits = static_cast<unsigned long long>(v);
    char *start = digits_before(end, minus ? 0 - bits : bits, base, ten);
    if (minus)
        *--start = '-';
    return start;
}

size_t real_text(char *out, double v, unsigned digits)
{
    Bits bits;
    memcpy(&bits, &v, sizeof bits);
    Bits magnitude = bits & MAGNITUDE;
    if (magnitude > INFINITE)
        return word(out, "nan");
    if (magnitude == INFINITE)
        return word(out, "inf");
    if (magnitude > LARGEST)
        return word(out, "ovf");
    size_t n = 0;
    if (magnitude != bits && magnitude)
        out[n++] = '-';
    return n +
           fixed_text(out + n, fixed_of(magnitude), digits < REAL_DIGITS ? digits : REAL_DIGITS);
}

/* Digits beyond the 19 that fit count as zeros. */
void Decimal::digit(unsigned d)
{
    bool fits = mantissa_ < 1000000000000000000u;
    if (fits)
        mantissa_ = mantissa_ * 10 + d;
    if (fits == fraction_)
        tens_ += fits ? -1 : 1;
}

double Decimal::value() const
{
    double v = static_cast<double>(mantissa_);
    int tens = tens_;
    while (tens < -LARGE) { /* so that 10^tens itself does not overflow */
        v /= power_of_ten(LARGE);
        tens += LARGE;
        if (v == 0)
            break;
    }
    if (mantissa_ == 0)
        v = 0;
    else if (tens < 0)
        v /= power_of_ten(-tens);
    else if (tens > 0)
        v *= power_of_ten(tens > 400 ? 400 : tens);
    return negative_ ? -v : v;
}

namespace
{

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The exponent of "e-12"; 0 when what follows is not one. */
int exponent_value(const char *text)
{
    if (*text != 'e' && *text != 'E')
        return 0;
    text++;
    bool minus = *text == '-';
    if (minus || *text == '+')
        text++;
    int n = 0;
    for (; is_digit(*text); text++)
        if (n < 1000)
            n = n * 10 + (*text - '0');
    return minus ? -n : n;
}

} // namespace

double real_value(const char *text)
{
    Decimal number;
    while (*text == ' ' || (*text >= '\t' && *text <= '\r'))
        text++;
    if (*text == '-')
        number.negate();
    if (*text == '-' || *text == '+')
        text++;
    bool any = false, point = false;
    for (; is_digit(*text) || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            number.point();
        } else {
            any = true;
            number.digit(static_cast<unsigned>(*text - '0'));
        }
    }
    if (!any)
        return 0;
    number.scale(exponent_value(text));
    return number.value();
}

} // namespace takt
