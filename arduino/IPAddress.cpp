/*
 * Addresses of the Internet protocol as text: RFC 5952 for version 6.
 */
#include "IPAddress.h"

#include <stdlib.h>

#include "Print.h"
#include "WMath.h"

const IPAddress INADDR_NONE(0, 0, 0, 0);
const IPAddress IN6ADDR_ANY(IPv6);

static const int WORDS = 8; /* of an address of version 6 */

/* A decimal number of at most 255 at *text, which then is behind it; -1: there is none. */
static int octet(const char *&text)
{
    int value = -1;
    for (; *text >= '0' && *text <= '9'; text++) {
        value = (value < 0 ? 0 : 10 * value) + (*text - '0');
        if (value > 255)
            return -1;
    }
    return value;
}

bool IPAddress::from_text4(const char *text)
{
    IPAddress found;
    for (int i = 0; i < 4; i++) {
        int value = octet(text);
        if (value < 0 || *text != (i < 3 ? '.' : '\0'))
            return false;
        found.bytes_[i] = static_cast<uint8_t>(value);
        text++;
    }
    *this = found;
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = static_cast<char>(c | ('a' - 'A'));
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A word of one to four digits, as octet(). */
static long hex_word(const char *&text)
{
    long value = -1;
    for (int digits = 0; hex_digit(*text) >= 0; digits++, text++) {
        if (digits == 4)
            return -1;
        value = (value < 0 ? 0 : value << 4) | hex_digit(*text);
    }
    return value;
}

bool IPAddress::from_text6(const char *text)
{
    IPAddress found(IPv6);
    int count = 0, gap = -1; /* words read, and before which some are left out */
    while (*text) {
        if (text[0] == ':' && text[1] == ':') {
            if (gap >= 0)
                return false;
            gap = count;
            text += 2;
            continue;
        }
        if (count > 0 && gap != count && *text++ != ':')
            return false;
        long value = count < WORDS ? hex_word(text) : -1;
        if (value < 0)
            return false;
        found.bytes_[2 * count] = static_cast<uint8_t>(value >> 8);
        found.bytes_[2 * count + 1] = static_cast<uint8_t>(value);
        count++;
    }
    if (gap < 0 ? count != WORDS : count == WORDS)
        return false;
    if (gap >= 0) {
        uint8_t *from = found.bytes_ + 2 * gap;
        size_t behind = static_cast<size_t>(2 * (count - gap));
        size_t left_out = static_cast<size_t>(2 * (WORDS - count));
        memmove(from + left_out, from, behind);
        memset(from, 0, left_out);
    }
    *this = found;
    return true;
}

size_t IPAddress::printTo(Print &out) const
{
    size_t n = 0;
    if (type_ == IPv4) {
        for (int i = 0; i < 4; i++)
            n += (i > 0 ? out.print('.') : 0) + out.print(bytes_[i]);
        return n;
    }
    int start = WORDS, length = 1; /* of what is left out: two words at least */
    for (int i = 0, run = 0; i < WORDS; i++) {
        run = word_at(i) == 0 ? run + 1 : 0;
        if (run > length) {
            length = run;
            start = i + 1 - run;
        }
    }
    for (int i = 0; i < WORDS; i++) {
        if (i == start) {
            n += out.print("::");
            i += length - 1;
            continue;
        }
        if (i > 0 && i != start + length)
            n += out.print(':');
        char text[5];
        n += out.print(utoa(word_at(i), text, 16));
    }
    return n;
}

String IPAddress::toString() const
{
    char text[40], *at = text;
    for (int i = 0; type_ == IPv4 && i < 4; i++) {
        if (i > 0)
            *at++ = '.';
        at += strlen(itoa(bytes_[i], at, 10));
    }
    for (int i = 0; type_ == IPv6 && i < 2 * WORDS; i++) {
        if (i > 0 && i % 2 == 0)
            *at++ = ':';
        utoa(bytes_[i] >> 4, at++, 16);
        utoa(bytes_[i] & 15u, at++, 16);
    }
    return String(text);
}
