/*
 * Print: text and numbers onto anything that can write bytes.
 *
 * One print or println is one piece: on a serial port no other loop's output comes in between.
 * Numbers and lines are put together in a small buffer first, so derived classes see few, long
 * writes.
 */
#ifndef Print_h
#define Print_h

#include <stdint.h>
#include <string.h>

#include "Printable.h"
#include "pgmspace.h"
#include "serial_gate.h"

#define DEC 10
#define HEX 16
#define OCT 8
#define BIN 2

class String;
class __FlashStringHelper;

class Print
{
  public:
    constexpr Print() = default;

    virtual size_t write(uint8_t) = 0;
    virtual size_t write(const uint8_t *buffer, size_t size);
    /* Bytes a write takes without waiting; 0: unknown. */
    virtual int availableForWrite() { return 0; }
    /* Waits until what was written is out. */
    virtual void flush() {}

    size_t write(const char *text) { return text ? write(text, strlen(text)) : 0; }
    size_t write(const char *buffer, size_t size)
    {
        return write(reinterpret_cast<const uint8_t *>(buffer), size);
    }

    int getWriteError() const { return write_error_; }
    void clearWriteError() { write_error_ = 0; }

    size_t print(const __FlashStringHelper *s) { return text(s, false); }
    size_t print(const String &s) { return text(s, false); }
    size_t print(const char *s) { return text(s, false); }
    size_t print(char c) { return write(static_cast<uint8_t>(c)); }
    size_t print(unsigned char n, int base = DEC) { return print(+n, base); }
    size_t print(int n, int base = DEC) { return number(n, base, false); }
    size_t print(unsigned n, int base = DEC)
    {
        return number(static_cast<unsigned long>(n), base, false);
    }
    size_t print(long n, int base = DEC) { return number(n, base, false); }
    size_t print(unsigned long n, int base = DEC) { return number(n, base, false); }
    size_t print(long long n, int base = DEC) { return number(n, base, false); }
    size_t print(unsigned long long n, int base = DEC) { return number(n, base, false); }
    size_t print(double n, int digits = 2) { return real(n, digits, false); }
    size_t print(const Printable &p) { return printable(p, false); }

    size_t println(const __FlashStringHelper *s) { return text(s, true); }
    size_t println(const String &s) { return text(s, true); }
    size_t println(const char *s) { return text(s, true); }
    size_t println(char c) { return text(&c, 1, true); }
    size_t println(unsigned char n, int base = DEC) { return println(+n, base); }
    size_t println(int n, int base = DEC) { return number(n, base, true); }
    size_t println(unsigned n, int base = DEC)
    {
        return number(static_cast<unsigned long>(n), base, true);
    }
    size_t println(long n, int base = DEC) { return number(n, base, true); }
    size_t println(unsigned long n, int base = DEC) { return number(n, base, true); }
    size_t println(long long n, int base = DEC) { return number(n, base, true); }
    size_t println(unsigned long long n, int base = DEC) { return number(n, base, true); }
    size_t println(double n, int digits = 2) { return real(n, digits, true); }
    size_t println(const Printable &p) { return printable(p, true); }
    size_t println() { return text("", 0, true); }

    /* As the C library's, up to 127 characters; what is longer is cut. */
    size_t printf(const char *format, ...) __attribute__((format(printf, 2, 3)));

  protected:
    constexpr explicit Print(takt::SerialGate *gate) : gate_(gate) {}
    void setWriteError(int error = 1) { write_error_ = error; }

    takt::SerialGate *gate_ = nullptr; /* NULL: not a serial port, needs no lock */

  private:
    size_t text(const char *s, size_t n, bool line);
    size_t text(const char *s, bool line);
    size_t text(const __FlashStringHelper *s, bool line)
    {
        const char *bytes = reinterpret_cast<const char *>(s);
        return TAKT_FLASH_APART ? flash_text(bytes, line) : text(bytes, line);
    }
    size_t flash_text(const char *s, bool line);
    size_t text(const String &s, bool line);
    /* In other bases than ten a negative int shows 32 bits, whatever the size of int and long. */
    size_t number(int n, int base, bool line)
    {
        if (sizeof(uint32_t) == sizeof(long) || base == DEC)
            return number(static_cast<long>(n), base, line);
        return number(static_cast<unsigned long>(static_cast<uint32_t>(n)), base, line);
    }
    size_t number(long n, int base, bool line);
    size_t number(unsigned long n, int base, bool line);
    size_t number(long long n, int base, bool line);
    size_t number(unsigned long long n, int base, bool line);
    size_t real(double n, int digits, bool line);
    size_t printable(const Printable &p, bool line);

    int write_error_ = 0;
};

namespace arduino
{
using ::Print;
} // namespace arduino

#endif
