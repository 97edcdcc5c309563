/*
 * itoa and its family: what AVR's library has beyond the standard.
 */
#include <string.h>

#include "WMath.h"
#include "number_text.h"

namespace
{

char *finish(char *out, const char *start, const char *end)
{
    size_t n = static_cast<size_t>(end - start);
    memcpy(out, start, n);
    out[n] = '\0';
    return out;
}

char *empty(char *out)
{
    *out = '\0';
    return out;
}

bool is_base(int base)
{
    return base >= 2 && base <= 36;
}

} // namespace

char *ltoa(long value, char *text, int base)
{
    if (!is_base(base))
        return empty(text);
    char digits[takt::INTEGER_TEXT], *end = digits + sizeof digits;
    return finish(text, takt::signed_text(end, value, static_cast<unsigned>(base), 'a'), end);
}

char *ultoa(unsigned long value, char *text, int base)
{
    if (!is_base(base))
        return empty(text);
    char digits[takt::INTEGER_TEXT], *end = digits + sizeof digits;
    return finish(text, takt::unsigned_text(end, value, static_cast<unsigned>(base), 'a'), end);
}

char *itoa(int value, char *text, int base)
{
    if (base == 10)
        return ltoa(value, text, 10);
    return utoa(static_cast<unsigned>(value), text, base);
}

char *utoa(unsigned value, char *text, int base)
{
    return ultoa(value, text, base);
}

char *dtostrf(double value, signed char width, unsigned char precision, char *text)
{
    char digits[takt::REAL_TEXT];
    size_t n = takt::real_text(digits, value, precision);
    size_t wide = static_cast<size_t>(width < 0 ? -width : width);
    size_t blanks = wide > n ? wide - n : 0;
    size_t front = width > 0 ? blanks : 0;
    memset(text, ' ', n + blanks);
    memcpy(text + front, digits, n);
    text[n + blanks] = '\0';
    return text;
}
