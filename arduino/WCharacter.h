/*
 * Kinds of characters: ASCII, without tables or locales.
 */
#ifndef Character_h
#define Character_h

inline bool isAscii(int c)
{
    return c >= 0 && c < 128;
}
inline bool isDigit(int c)
{
    return c >= '0' && c <= '9';
}
inline bool isUpperCase(int c)
{
    return c >= 'A' && c <= 'Z';
}
inline bool isLowerCase(int c)
{
    return c >= 'a' && c <= 'z';
}
inline bool isAlpha(int c)
{
    return isUpperCase(c) || isLowerCase(c);
}
inline bool isAlphaNumeric(int c)
{
    return isAlpha(c) || isDigit(c);
}
inline bool isControl(int c)
{
    return (c >= 0 && c < ' ') || c == 127;
}
inline bool isGraph(int c)
{
    return c > ' ' && c < 127;
}
inline bool isPrintable(int c)
{
    return c >= ' ' && c < 127;
}
inline bool isPunct(int c)
{
    return isGraph(c) && !isAlphaNumeric(c);
}
inline bool isSpace(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}
inline bool isWhitespace(int c)
{
    return c == ' ' || c == '\t';
}
inline bool isHexadecimalDigit(int c)
{
    return isDigit(c) || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}
inline int toAscii(int c)
{
    return c & 127;
}
inline int toLowerCase(int c)
{
    return isUpperCase(c) ? c + ('a' - 'A') : c;
}
inline int toUpperCase(int c)
{
    return isLowerCase(c) ? c - ('a' - 'A') : c;
}

namespace arduino
{
using ::isAscii;
using ::isDigit;
using ::isUpperCase;
using ::isLowerCase;
using ::isAlpha;
using ::isAlphaNumeric;
using ::isControl;
using ::isGraph;
using ::isPrintable;
using ::isPunct;
using ::isSpace;
using ::isWhitespace;
using ::isHexadecimalDigit;
using ::toAscii;
using ::toLowerCase;
using ::toUpperCase;
} // namespace arduino

#endif
