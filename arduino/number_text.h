/*
 * Numbers to text and back, without printf, strtod or floating-point arithmetic where bits will do.
 */
#ifndef TAKT_NUMBER_TEXT_H
#define TAKT_NUMBER_TEXT_H

#include <stddef.h>
#include <stdint.h>

namespace takt
{

/* Room for any integer: 64 binary digits and a sign. */
constexpr size_t INTEGER_TEXT = 65;

/* Digits after the point that real_text() writes at most. */
constexpr unsigned REAL_DIGITS = 40;

/* Room for any real: sign, 10 digits, point, REAL_DIGITS. */
constexpr size_t REAL_TEXT = 12 + REAL_DIGITS;

/*
 * Writes v backwards from `end` (exclusive) in base 2..36; letters start at `ten` ('a' or 'A').
 * Returns where the text starts. Nothing is terminated.
 */
char *unsigned_text(char *end, unsigned long v, unsigned base, char ten);
char *unsigned_text(char *end, unsigned long long v, unsigned base, char ten);

/* As Arduino shows signed numbers: a minus sign in base 10, two's complement in every other. */
char *signed_text(char *end, long v, unsigned base, char ten);
char *signed_text(char *end, long long v, unsigned base, char ten);

/*
 * Writes v with `digits` (cut to REAL_DIGITS) digits after the point, rounded half away from zero
 * on the exact binary value; "nan", "inf", and "ovf" beyond +-4294967040, as Arduino does.
 * Returns the length; nothing is terminated. Magnitudes below 2^-64 count as 0.
 */
size_t real_text(char *out, double v, unsigned digits);

/* A decimal number taken in character by character. */
class Decimal
{
  public:
    void digit(unsigned d);            /* the next digit, 0..9 */
    void point() { fraction_ = true; } /* digits from now on are behind the point */
    void scale(int tens) { tens_ += tens; }
    void negate() { negative_ = true; }
    double value() const;

  private:
    uint64_t mantissa_ = 0;
    int tens_ = 0; /* value = mantissa * 10^tens */
    bool negative_ = false, fraction_ = false;
};

/* The value of the longest number that text starts with (blanks, sign, digits, point, exponent);
 * 0 when there is none. */
double real_value(const char *text);

} // namespace takt

#endif
