/*
 * Addresses of the Internet protocol, versions 4 and 6.
 */
#ifndef TAKT_IPADDRESS_H
#define TAKT_IPADDRESS_H

#include <stdint.h>
#include <string.h>

#include "Printable.h"
#include "WString.h"

namespace arduino
{
enum IPType : uint8_t { IPv4, IPv6 };
}
using arduino::IPType;
using arduino::IPv4;
using arduino::IPv6;

class IPAddress : public Printable
{
  public:
    /* Zeros. */
    constexpr IPAddress(IPType type = IPv4) : bytes_(), type_(type) {}
    constexpr IPAddress(uint8_t a, uint8_t b, uint8_t c, uint8_t d)
        : bytes_{a, b, c, d}, type_(IPv4)
    {
    }
    constexpr IPAddress(uint8_t a, uint8_t b, uint8_t c, uint8_t d, uint8_t e, uint8_t f, uint8_t g,
                        uint8_t h, uint8_t i, uint8_t j, uint8_t k, uint8_t l, uint8_t m, uint8_t n,
                        uint8_t o, uint8_t p)
        : bytes_{a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p}, type_(IPv6)
    {
    }
    /* Version 4 in four bytes as they lie in memory; 4 or 16 of them. */
    IPAddress(uint32_t address) : IPAddress() { memcpy(bytes_, &address, sizeof address); }
    IPAddress(const uint8_t *address) : IPAddress(IPv4, address) {}
    IPAddress(IPType type, const uint8_t *address) : IPAddress(type)
    {
        memcpy(bytes_, address, size());
    }
    /* Zeros if it is no address. */
    IPAddress(const char *text) : IPAddress() { fromString(text); }

    /* 192.168.0.1, or 2001:db8::1. False: it is none, and nothing changes. */
    bool fromString(const char *text) { return from_text4(text) || from_text6(text); }
    bool fromString(const String &text) { return fromString(text.c_str()); }

    IPType type() const { return type_; }

    /* Of version 4, as they lie in memory; 0: version 6. */
    operator uint32_t() const
    {
        uint32_t address = 0;
        if (type_ == IPv4)
            memcpy(&address, bytes_, sizeof address);
        return address;
    }
    IPAddress &operator=(uint32_t address) { return *this = IPAddress(address); }
    IPAddress &operator=(const uint8_t *address) { return *this = IPAddress(address); }
    IPAddress &operator=(const char *text)
    {
        fromString(text);
        return *this;
    }

    bool operator==(const IPAddress &other) const
    {
        return type_ == other.type_ && memcmp(bytes_, other.bytes_, size()) == 0;
    }
    bool operator!=(const IPAddress &other) const { return !(*this == other); }
    /* Four bytes. */
    bool operator==(const uint8_t *address) const
    {
        return type_ == IPv4 && memcmp(bytes_, address, 4) == 0;
    }

    /* The bytes, of version 4 the first four. */
    uint8_t operator[](int index) const { return bytes_[index]; }
    uint8_t &operator[](int index) { return bytes_[index]; }

    /* The usual short form: of version 6 the first of the longest runs of zeros is left out. */
    size_t printTo(Print &out) const override;
    /* The same; of version 6 all digits. */
    String toString() const;

    /* The same, for drivers of networks, which know it by this name. */
    uint8_t *raw_address() { return bytes_; }

  private:
    size_t size() const { return type_ == IPv4 ? 4 : 16; }
    unsigned word_at(int i) const
    {
        return static_cast<unsigned>(bytes_[2 * i]) << 8 | bytes_[2 * i + 1];
    }
    bool from_text4(const char *text);
    bool from_text6(const char *text);

    uint8_t bytes_[16]; /* in the order in which they are sent */
    IPType type_;
};

extern const IPAddress INADDR_NONE;
extern const IPAddress IN6ADDR_ANY;

namespace arduino
{
using ::IPAddress;
using ::INADDR_NONE;
using ::IN6ADDR_ANY;
} // namespace arduino

#endif
