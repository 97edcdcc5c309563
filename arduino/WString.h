/*
 * String: text that grows, as Arduino has it. The characters lie on the heap; when memory runs out
 * a String becomes invalid: it is then empty and converts to false.
 */
#ifndef String_class_h
#define String_class_h

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "pgmspace.h"

class __FlashStringHelper; /* text in flash: never defined, only pointed to */
#define F(string_literal) (reinterpret_cast<const __FlashStringHelper *>(PSTR(string_literal)))

class StringSumHelper;

class String
{
  public:
    String(const char *text = "");
    String(const char *text, size_t length);
    String(const uint8_t *text, size_t length)
        : String(reinterpret_cast<const char *>(text), length)
    {
    }
    String(const String &other);
    String(const __FlashStringHelper *text) { *this = text; }
    String(String &&other) noexcept;
    explicit String(char c);
    explicit String(unsigned char n, unsigned char base = 10)
        : String(static_cast<unsigned long>(n), base)
    {
    }
    explicit String(int n, unsigned char base = 10);
    explicit String(unsigned n, unsigned char base = 10)
        : String(static_cast<unsigned long>(n), base)
    {
    }
    explicit String(long n, unsigned char base = 10);
    explicit String(unsigned long n, unsigned char base = 10);
    explicit String(long long n, unsigned char base = 10);
    explicit String(unsigned long long n, unsigned char base = 10);
    explicit String(float n, unsigned char decimals = 2) : String(static_cast<double>(n), decimals)
    {
    }
    explicit String(double n, unsigned char decimals = 2);
    ~String();

    /* Room for `size` characters; false when there is no memory. */
    bool reserve(unsigned size);
    unsigned length() const { return length_; }
    bool isEmpty() const { return length_ == 0; }
    explicit operator bool() const { return buffer_ != nullptr; }

    String &operator=(const String &other);
    String &operator=(String &&other) noexcept;
    String &operator=(const char *text);
    String &operator=(const __FlashStringHelper *text);

    /* Append; false when there is no memory, or no text: then nothing changes. */
    bool concat(const String &s) { return append(s.c_str(), s.length_); }
    bool concat(const char *text) { return text && append(text, strlen(text)); }
    bool concat(const char *text, unsigned length) { return text && append(text, length); }
    bool concat(const uint8_t *text, unsigned length)
    {
        return concat(reinterpret_cast<const char *>(text), length);
    }
    bool concat(const __FlashStringHelper *text);
    bool concat(char c) { return append(&c, 1); }
    bool concat(unsigned char n) { return concat(static_cast<unsigned long>(n)); }
    bool concat(int n) { return concat(static_cast<long>(n)); }
    bool concat(unsigned n) { return concat(static_cast<unsigned long>(n)); }
    bool concat(long n);
    bool concat(unsigned long n);
    bool concat(long long n);
    bool concat(unsigned long long n);
    bool concat(float n) { return concat(static_cast<double>(n)); }
    bool concat(double n);

    template <typename T> String &operator+=(const T &more)
    {
        concat(more);
        return *this;
    }

    /* Below, equal to or above 0 as in strcmp. */
    int compareTo(const String &s) const { return strcmp(c_str(), s.c_str()); }
    int compareTo(const char *s) const { return strcmp(c_str(), s ? s : ""); }
    bool equals(const String &s) const { return length_ == s.length_ && compareTo(s) == 0; }
    bool equals(const char *s) const { return compareTo(s) == 0; }
    bool equalsIgnoreCase(const String &s) const;
    bool startsWith(const String &prefix) const { return startsWith(prefix, 0); }
    bool startsWith(const String &prefix, unsigned offset) const;
    bool endsWith(const String &suffix) const;

    friend bool operator==(const String &a, const String &b) { return a.equals(b); }
    friend bool operator==(const String &a, const char *b) { return a.equals(b); }
    friend bool operator==(const char *a, const String &b) { return b.equals(a); }
    friend bool operator!=(const String &a, const String &b) { return !a.equals(b); }
    friend bool operator!=(const String &a, const char *b) { return !a.equals(b); }
    friend bool operator!=(const char *a, const String &b) { return !b.equals(a); }
    friend bool operator<(const String &a, const String &b) { return a.compareTo(b) < 0; }
    friend bool operator<(const String &a, const char *b) { return a.compareTo(b) < 0; }
    friend bool operator<(const char *a, const String &b) { return b.compareTo(a) > 0; }
    friend bool operator>(const String &a, const String &b) { return a.compareTo(b) > 0; }
    friend bool operator>(const String &a, const char *b) { return a.compareTo(b) > 0; }
    friend bool operator>(const char *a, const String &b) { return b.compareTo(a) < 0; }
    friend bool operator<=(const String &a, const String &b) { return a.compareTo(b) <= 0; }
    friend bool operator<=(const String &a, const char *b) { return a.compareTo(b) <= 0; }
    friend bool operator<=(const char *a, const String &b) { return b.compareTo(a) >= 0; }
    friend bool operator>=(const String &a, const String &b) { return a.compareTo(b) >= 0; }
    friend bool operator>=(const String &a, const char *b) { return a.compareTo(b) >= 0; }
    friend bool operator>=(const char *a, const String &b) { return b.compareTo(a) <= 0; }

    /* Out of range: reads give 0, writes go nowhere. */
    char charAt(unsigned index) const { return index < length_ ? buffer_[index] : '\0'; }
    void setCharAt(unsigned index, char c)
    {
        if (index < length_)
            buffer_[index] = c;
    }
    char operator[](unsigned index) const { return charAt(index); }
    char &operator[](unsigned index);
    /* Copies up to size - 1 characters from index, and a 0. */
    void getBytes(unsigned char *buffer, unsigned size, unsigned index = 0) const;
    void toCharArray(char *buffer, unsigned size, unsigned index = 0) const
    {
        getBytes(reinterpret_cast<unsigned char *>(buffer), size, index);
    }
    const char *c_str() const { return buffer_ ? buffer_ : ""; }
    char *begin() { return buffer_; }
    char *end() { return buffer_ + length_; }
    const char *begin() const { return c_str(); }
    const char *end() const { return c_str() + length_; }

    /* Where it is first found from `from` on, or last at or before `from`; -1: nowhere. */
    int indexOf(char c, unsigned from = 0) const;
    int indexOf(const String &s, unsigned from = 0) const;
    int lastIndexOf(char c) const { return lastIndexOf(c, length_ - 1); }
    int lastIndexOf(char c, unsigned from) const;
    int lastIndexOf(const String &s) const { return lastIndexOf(s, length_ - s.length_); }
    int lastIndexOf(const String &s, unsigned from) const;
    String substring(unsigned begin) const { return substring(begin, length_); }
    /* Characters begin .. end - 1; in either order; cut to what there is. */
    String substring(unsigned begin, unsigned end) const;

    void replace(char find, char by);
    void replace(const String &find, const String &by);
    void remove(unsigned index) { remove(index, length_); }
    void remove(unsigned index, unsigned count);
    void toLowerCase();
    void toUpperCase();
    void trim(); /* white space at both ends */

    long toInt() const;
    float toFloat() const { return static_cast<float>(toDouble()); }
    double toDouble() const;

  protected:
    bool append(const char *text, size_t length);
    bool assign(const char *text, size_t length);
    bool hold(size_t size);
    void invalidate();
    bool found_at(unsigned index, const String &s) const;

    char *buffer_ = nullptr; /* NULL: invalid */
    unsigned capacity_ = 0;  /* characters there is room for, without the 0 */
    unsigned length_ = 0;
};

/* What a + b gives; takes the result over when it is added to, so that a + b + c is one String
 * growing. A sum for which memory runs out is invalid. */
class StringSumHelper : public String
{
  public:
    StringSumHelper(const String &s) : String(s) {}
    StringSumHelper(String &&s) : String(static_cast<String &&>(s)) {}
    StringSumHelper(const char *s) : String(s) {}
    StringSumHelper(char c) : String(c) {}
    StringSumHelper(unsigned char n) : String(n) {}
    StringSumHelper(int n) : String(n) {}
    StringSumHelper(unsigned n) : String(n) {}
    StringSumHelper(long n) : String(n) {}
    StringSumHelper(unsigned long n) : String(n) {}
    StringSumHelper(long long n) : String(n) {}
    StringSumHelper(unsigned long long n) : String(n) {}
    StringSumHelper(float n) : String(n) {}
    StringSumHelper(double n) : String(n) {}

    template <typename T> StringSumHelper &&plus(const T &more)
    {
        if (!concat(more))
            invalidate();
        return static_cast<StringSumHelper &&>(*this);
    }
};

StringSumHelper operator+(StringSumHelper left, const String &right);
StringSumHelper operator+(StringSumHelper left, const char *right);
StringSumHelper operator+(StringSumHelper left, const __FlashStringHelper *right);
StringSumHelper operator+(StringSumHelper left, char right);
StringSumHelper operator+(StringSumHelper left, unsigned char right);
StringSumHelper operator+(StringSumHelper left, int right);
StringSumHelper operator+(StringSumHelper left, unsigned right);
StringSumHelper operator+(StringSumHelper left, long right);
StringSumHelper operator+(StringSumHelper left, unsigned long right);
StringSumHelper operator+(StringSumHelper left, long long right);
StringSumHelper operator+(StringSumHelper left, unsigned long long right);
StringSumHelper operator+(StringSumHelper left, float right);
StringSumHelper operator+(StringSumHelper left, double right);

namespace arduino
{
using ::String;
using ::StringSumHelper;
using ::__FlashStringHelper;
} // namespace arduino

#endif
