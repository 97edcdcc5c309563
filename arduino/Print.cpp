/*
 * Print: see Print.h. Formatting is in number_text.cpp.
 */
#include "Print.h"

#include <stdarg.h>
#include <stdio.h>

#include "WString.h"
#include "number_text.h"

namespace
{

using takt::Hold;

/* Base 1 makes no sense and counts as 10; 0 never comes here. */
unsigned sane(int base)
{
    return base < 2 || base > 36 ? 10 : static_cast<unsigned>(base);
}

takt::OwnerLock *sending(takt::SerialGate *gate)
{
    return gate ? &gate->sending : nullptr;
}

/* Room for a number of type T in any base and the end of its line. */
template <typename T> struct Line {
    static constexpr size_t DIGITS = 8 * sizeof(T) + 1;
    char text[DIGITS + 2];
    char *number_end() { return text + DIGITS; }

    /* From `start` to the end of the number, or of the line. */
    size_t finish(const char *start, bool line)
    {
        number_end()[0] = '\r';
        number_end()[1] = '\n';
        return static_cast<size_t>(number_end() - start) + (line ? 2 : 0);
    }
};

} // namespace

size_t Print::write(const uint8_t *buffer, size_t size)
{
    size_t n = 0;
    while (n < size && write(buffer[n]))
        n++;
    return n;
}

size_t Print::text(const char *s, size_t n, bool line)
{
    Hold hold(sending(gate_));
    size_t written = n ? write(s, n) : 0;
    return line ? written + write("\r\n", 2) : written;
}

size_t Print::text(const char *s, bool line)
{
    return text(s, s ? strlen(s) : 0, line);
}

/* Where flash has to be read piece by piece. */
size_t Print::flash_text(const char *s, bool line)
{
    char piece[16];
    Hold hold(sending(gate_));
    size_t written = 0;
    for (size_t left = s ? strlen_P(s) : 0; left > 0;) {
        size_t n = left < sizeof piece ? left : sizeof piece;
        memcpy_P(piece, s, n);
        written += write(piece, n);
        s += n;
        left -= n;
    }
    return line ? written + write("\r\n", 2) : written;
}

size_t Print::text(const String &s, bool line)
{
    return text(s.c_str(), s.length(), line);
}

size_t Print::number(long n, int base, bool line)
{
    Line<long> buffer;
    char *start = buffer.number_end() - 1;
    if (base == 0)
        *start = static_cast<char>(n); /* the byte itself */
    else
        start = takt::signed_text(buffer.number_end(), n, sane(base), 'A');
    return write(start, buffer.finish(start, line));
}

size_t Print::number(unsigned long n, int base, bool line)
{
    Line<unsigned long> buffer;
    char *start = buffer.number_end() - 1;
    if (base == 0)
        *start = static_cast<char>(n); /* the byte itself */
    else
        start = takt::unsigned_text(buffer.number_end(), n, sane(base), 'A');
    return write(start, buffer.finish(start, line));
}

size_t Print::number(long long n, int base, bool line)
{
    Line<long long> buffer;
    char *start = takt::signed_text(buffer.number_end(), n, sane(base), 'A');
    return write(start, buffer.finish(start, line));
}

size_t Print::number(unsigned long long n, int base, bool line)
{
    Line<long long> buffer;
    char *start = takt::unsigned_text(buffer.number_end(), n, sane(base), 'A');
    return write(start, buffer.finish(start, line));
}

size_t Print::real(double n, int digits, bool line)
{
    char text[takt::REAL_TEXT + 2];
    size_t length = takt::real_text(text, n, digits < 0 ? 2 : static_cast<unsigned>(digits));
    if (line) {
        text[length++] = '\r';
        text[length++] = '\n';
    }
    return write(text, length);
}

size_t Print::printable(const Printable &p, bool line)
{
    Hold hold(sending(gate_));
    size_t n = p.printTo(*this);
    return line ? n + write("\r\n", 2) : n;
}

size_t Print::printf(const char *format, ...)
{
    char line[128];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    if (length < 0)
        return 0;
    size_t whole = static_cast<size_t>(length);
    return text(line, whole < sizeof line ? whole : sizeof line - 1, false);
}
