/*
 * String: comparing, finding, changing. See WString.h.
 */
#include <string.h>

#include "WCharacter.h"
#include "WString.h"
#include "number_text.h"

namespace
{

/* Out-of-range writes through operator[] end here. */
char nowhere;

} // namespace

bool String::equalsIgnoreCase(const String &s) const
{
    if (length_ != s.length_)
        return false;
    for (unsigned i = 0; i < length_; i++)
        if (::toLowerCase(buffer_[i]) != ::toLowerCase(s.buffer_[i]))
            return false;
    return true;
}

bool String::found_at(unsigned index, const String &s) const
{
    return memcmp(c_str() + index, s.c_str(), s.length_) == 0;
}

bool String::startsWith(const String &prefix, unsigned offset) const
{
    return prefix.length_ <= length_ && offset <= length_ - prefix.length_ &&
           found_at(offset, prefix);
}

bool String::endsWith(const String &suffix) const
{
    return suffix.length_ <= length_ && found_at(length_ - suffix.length_, suffix);
}

char &String::operator[](unsigned index)
{
    if (index < length_)
        return buffer_[index];
    nowhere = '\0';
    return nowhere;
}

void String::getBytes(unsigned char *buffer, unsigned size, unsigned index) const
{
    if (!buffer || size == 0)
        return;
    unsigned n = index < length_ ? length_ - index : 0;
    if (n > size - 1)
        n = size - 1;
    memcpy(buffer, c_str() + (n ? index : 0), n);
    buffer[n] = 0;
}

int String::indexOf(char c, unsigned from) const
{
    for (unsigned i = from; i < length_; i++)
        if (buffer_[i] == c)
            return static_cast<int>(i);
    return -1;
}

int String::indexOf(const String &s, unsigned from) const
{
    if (s.length_ > length_)
        return -1;
    for (unsigned i = from; i <= length_ - s.length_ && i < length_; i++)
        if (found_at(i, s))
            return static_cast<int>(i);
    return -1;
}

int String::lastIndexOf(char c, unsigned from) const
{
    if (from >= length_)
        return -1;
    for (unsigned i = from + 1; i-- > 0;)
        if (buffer_[i] == c)
            return static_cast<int>(i);
    return -1;
}

int String::lastIndexOf(const String &s, unsigned from) const
{
    if (s.length_ == 0 || s.length_ > length_)
        return -1;
    unsigned last = length_ - s.length_;
    for (unsigned i = (from < last ? from : last) + 1; i-- > 0;)
        if (found_at(i, s))
            return static_cast<int>(i);
    return -1;
}

String String::substring(unsigned begin, unsigned end) const
{
    if (begin > end) {
        unsigned swap = begin;
        begin = end;
        end = swap;
    }
    if (end > length_)
        end = length_;
    return begin < end ? String(buffer_ + begin, end - begin) : String();
}

void String::replace(char find, char by)
{
    for (unsigned i = 0; i < length_; i++)
        if (buffer_[i] == find)
            buffer_[i] = by;
}

/* Puts the result together beside the original, which stays as it is when memory runs out. */
void String::replace(const String &find, const String &by)
{
    if (find.length_ == 0 || indexOf(find) < 0)
        return;
    String result;
    unsigned done = 0;
    bool fits = true;
    for (int at; (at = indexOf(find, done)) >= 0;) {
        unsigned found = static_cast<unsigned>(at);
        fits = fits && result.append(buffer_ + done, found - done) && result.concat(by);
        done = found + find.length_;
    }
    if (fits && result.append(buffer_ + done, length_ - done))
        *this = static_cast<String &&>(result);
}

void String::remove(unsigned index, unsigned count)
{
    if (index >= length_ || count == 0)
        return;
    if (count > length_ - index)
        count = length_ - index;
    memmove(buffer_ + index, buffer_ + index + count, length_ - index - count + 1);
    length_ -= count;
}

void String::toLowerCase()
{
    for (unsigned i = 0; i < length_; i++)
        buffer_[i] = static_cast<char>(::toLowerCase(buffer_[i]));
}

void String::toUpperCase()
{
    for (unsigned i = 0; i < length_; i++)
        buffer_[i] = static_cast<char>(::toUpperCase(buffer_[i]));
}

void String::trim()
{
    unsigned begin = 0, end = length_;
    while (begin < end && isSpace(buffer_[begin]))
        begin++;
    while (end > begin && isSpace(buffer_[end - 1]))
        end--;
    remove(end);
    remove(0, begin);
}

/* Blanks, a sign, digits; what follows does not matter. Overflow wraps. */
long String::toInt() const
{
    const char *s = c_str();
    while (isSpace(*s))
        s++;
    bool minus = *s == '-';
    if (minus || *s == '+')
        s++;
    unsigned long value = 0;
    for (; isDigit(*s); s++)
        value = value * 10 + static_cast<unsigned long>(*s - '0');
    return static_cast<long>(minus ? 0 - value : value);
}

double String::toDouble() const
{
    return takt::real_value(c_str());
}
