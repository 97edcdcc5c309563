/*
 * String: see WString.h.
 *
 *   buffer_ NULL              invalid
 *   capacity_ 0               empty, nothing allocated: buffer_ is the shared `nothing`
 *   otherwise                 buffer_ is the heap's, length_ <= capacity_, buffer_[length_] is 0
 */
#include "WString.h"

#include <limits.h>
#include <stdlib.h>

#include "WCharacter.h"
#include "number_text.h"

namespace
{

char nothing[1];

using takt::INTEGER_TEXT;

} // namespace

/* Allocation */

/* Room for `size` characters, keeping what there is. */
bool String::hold(size_t size)
{
    if (buffer_ && size <= capacity_)
        return true;
    size_t capacity = size | 7; /* with the 0, whole double words */
    if (capacity >= UINT_MAX) /* with the 0 there would be more than are counted */
        return false;
    char *more = static_cast<char *>(realloc(capacity_ ? buffer_ : nullptr, capacity + 1));
    if (!more)
        return false;
    more[length_] = '\0';
    buffer_ = more;
    capacity_ = static_cast<unsigned>(capacity);
    return true;
}

void String::invalidate()
{
    if (capacity_)
        free(buffer_);
    buffer_ = nullptr;
    capacity_ = length_ = 0;
}

bool String::assign(const char *text, size_t length)
{
    if (length > 0 && !hold(length)) {
        invalidate();
        return false;
    }
    if (!buffer_)
        buffer_ = nothing;
    memmove(buffer_, text, length);
    length_ = static_cast<unsigned>(length);
    if (capacity_)
        buffer_[length] = '\0';
    return true;
}

/* The text may be a part of this String. */
bool String::append(const char *text, size_t length)
{
    if (length == 0)
        return true;
    bool own = text >= buffer_ && text < buffer_ + length_;
    size_t offset = own ? static_cast<size_t>(text - buffer_) : 0;
    size_t size = length_ + length;
    if (size > capacity_ && !hold(size + (capacity_ >> 1)) && !hold(size))
        return false;
    memmove(buffer_ + length_, own ? buffer_ + offset : text, length);
    length_ = static_cast<unsigned>(size);
    buffer_[length_] = '\0';
    return true;
}

bool String::reserve(unsigned size)
{
    return size == 0 || hold(size);
}

/* Construction and assignment */

String::String(const char *text)
{
    if (text)
        assign(text, strlen(text));
}

String::String(const char *text, size_t length)
{
    if (text)
        assign(text, length);
}

String::String(const String &other)
{
    *this = other;
}

String::String(String &&other) noexcept
    : buffer_(other.buffer_), capacity_(other.capacity_), length_(other.length_)
{
    other.buffer_ = nothing;
    other.capacity_ = other.length_ = 0;
}

String::String(char c)
{
    assign(&c, 1);
}

String::String(int n, unsigned char base)
{
    /* As unsigned in other bases, of the width of an int. */
    char text[INTEGER_TEXT], *end = text + sizeof text;
    char *start =
        base == 10 ? takt::signed_text(end, static_cast<long>(n), 10, 'a')
                   : takt::unsigned_text(end, static_cast<unsigned long>(static_cast<unsigned>(n)),
                                         base, 'a');
    assign(start, static_cast<size_t>(end - start));
}

String::String(long n, unsigned char base)
{
    char text[INTEGER_TEXT], *end = text + sizeof text;
    char *start = takt::signed_text(end, n, base, 'a');
    assign(start, static_cast<size_t>(end - start));
}

String::String(unsigned long n, unsigned char base)
{
    char text[INTEGER_TEXT], *end = text + sizeof text;
    char *start = takt::unsigned_text(end, n, base, 'a');
    assign(start, static_cast<size_t>(end - start));
}

String::String(long long n, unsigned char base)
{
    char text[INTEGER_TEXT], *end = text + sizeof text;
    char *start = takt::signed_text(end, n, base, 'a');
    assign(start, static_cast<size_t>(end - start));
}

String::String(unsigned long long n, unsigned char base)
{
    char text[INTEGER_TEXT], *end = text + sizeof text;
    char *start = takt::unsigned_text(end, n, base, 'a');
    assign(start, static_cast<size_t>(end - start));
}

String::String(double n, unsigned char decimals)
{
    char text[takt::REAL_TEXT];
    assign(text, takt::real_text(text, n, decimals));
}

String::~String()
{
    if (capacity_)
        free(buffer_);
}

String &String::operator=(const String &other)
{
    if (this == &other)
        return *this;
    if (other.buffer_)
        assign(other.buffer_, other.length_);
    else
        invalidate();
    return *this;
}

String &String::operator=(String &&other) noexcept
{
    if (this == &other)
        return *this;
    if (capacity_)
        free(buffer_);
    buffer_ = other.buffer_;
    capacity_ = other.capacity_;
    length_ = other.length_;
    other.buffer_ = nothing;
    other.capacity_ = other.length_ = 0;
    return *this;
}

String &String::operator=(const char *text)
{
    if (text)
        assign(text, strlen(text));
    else
        invalidate();
    return *this;
}

/* Text in flash, which on AVR is read by other functions */

String &String::operator=(const __FlashStringHelper *text)
{
    const char *bytes = reinterpret_cast<const char *>(text);
    if (!TAKT_FLASH_APART)
        return *this = bytes;
    if (!text) {
        invalidate();
        return *this;
    }
    assign("", 0);
    if (!concat(text))
        invalidate();
    return *this;
}

bool String::concat(const __FlashStringHelper *text)
{
    const char *bytes = reinterpret_cast<const char *>(text);
    if (!TAKT_FLASH_APART)
        return concat(bytes);
    size_t length = text ? strlen_P(bytes) : 0;
    if (length == 0)
        return text;
    if (!hold(length_ + length))
        return false;
    memcpy_P(buffer_ + length_, bytes, length + 1);
    length_ += static_cast<unsigned>(length);
    return true;
}

/* Appending numbers */

bool String::concat(long n)
{
    char text[INTEGER_TEXT], *end = text + sizeof text;
    char *start = takt::signed_text(end, n, 10, 'a');
    return append(start, static_cast<size_t>(end - start));
}

bool String::concat(unsigned long n)
{
    char text[INTEGER_TEXT], *end = text + sizeof text;
    char *start = takt::unsigned_text(end, n, 10, 'a');
    return append(start, static_cast<size_t>(end - start));
}

bool String::concat(long long n)
{
    char text[INTEGER_TEXT], *end = text + sizeof text;
    char *start = takt::signed_text(end, n, 10, 'a');
    return append(start, static_cast<size_t>(end - start));
}

bool String::concat(unsigned long long n)
{
    char text[INTEGER_TEXT], *end = text + sizeof text;
    char *start = takt::unsigned_text(end, n, 10, 'a');
    return append(start, static_cast<size_t>(end - start));
}

bool String::concat(double n)
{
    char text[takt::REAL_TEXT];
    return append(text, takt::real_text(text, n, 2));
}

StringSumHelper operator+(StringSumHelper left, const String &right)
{
    return left.plus(right);
}

StringSumHelper operator+(StringSumHelper left, const char *right)
{
    return left.plus(right);
}

StringSumHelper operator+(StringSumHelper left, const __FlashStringHelper *right)
{
    return left.plus(right);
}

StringSumHelper operator+(StringSumHelper left, char right)
{
    return left.plus(right);
}

StringSumHelper operator+(StringSumHelper left, unsigned char right)
{
    return left.plus(right);
}

StringSumHelper operator+(StringSumHelper left, int right)
{
    return left.plus(right);
}

StringSumHelper operator+(StringSumHelper left, unsigned right)
{
    return left.plus(right);
}

StringSumHelper operator+(StringSumHelper left, long right)
{
    return left.plus(right);
}

StringSumHelper operator+(StringSumHelper left, unsigned long right)
{
    return left.plus(right);
}

StringSumHelper operator+(StringSumHelper left, long long right)
{
    return left.plus(right);
}

StringSumHelper operator+(StringSumHelper left, unsigned long long right)
{
    return left.plus(right);
}

StringSumHelper operator+(StringSumHelper left, float right)
{
    return left.plus(right);
}

StringSumHelper operator+(StringSumHelper left, double right)
{
    return left.plus(right);
}
