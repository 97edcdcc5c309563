/*
 * The ATmega's EEPROM: bytes that stay when the power is off. Erased ones read 255; one may be
 * written some 100 000 times.
 *
 * Writing a byte takes the memory 3.4 ms. Whoever wants it meanwhile, to write or to read, waits:
 * a loop without the CPU. Several loops may use it without locks; a byte is read and written whole,
 * what put() writes is not.
 */
#ifndef EEPROM_h
#define EEPROM_h

#include <Arduino.h>

#ifndef __AVR__
#error "EEPROM: this board has none"
#endif

/* A byte, by its address: assigned to, it is written if it is another. */
struct EERef
{
    constexpr EERef(int at) : index(at) {}

    uint8_t operator*() const;
    operator uint8_t() const { return **this; }
    EERef &operator=(uint8_t value);
    EERef &operator=(const EERef &other) { return *this = *other; }
    EERef &update(uint8_t value) { return *this = value; }

    EERef &operator+=(uint8_t by) { return *this = static_cast<uint8_t>(**this + by); }
    EERef &operator-=(uint8_t by) { return *this = static_cast<uint8_t>(**this - by); }
    EERef &operator*=(uint8_t by) { return *this = static_cast<uint8_t>(**this * by); }
    EERef &operator/=(uint8_t by) { return *this = static_cast<uint8_t>(**this / by); }
    EERef &operator%=(uint8_t by) { return *this = static_cast<uint8_t>(**this % by); }
    EERef &operator&=(uint8_t by) { return *this = static_cast<uint8_t>(**this & by); }
    EERef &operator|=(uint8_t by) { return *this = static_cast<uint8_t>(**this | by); }
    EERef &operator^=(uint8_t by) { return *this = static_cast<uint8_t>(**this ^ by); }
    EERef &operator<<=(uint8_t by) { return *this = static_cast<uint8_t>(**this << by); }
    EERef &operator>>=(uint8_t by) { return *this = static_cast<uint8_t>(**this >> by); }
    EERef &operator++() { return *this += 1; }
    EERef &operator--() { return *this -= 1; }
    uint8_t operator++(int);
    uint8_t operator--(int);

    int index; /* 0.. */
};

/* An address, which goes from byte to byte. */
struct EEPtr
{
    constexpr EEPtr(int at) : index(at) {}

    operator int() const { return index; }
    EERef operator*() const { return index; }
    EEPtr &operator++() { return *this = index + 1; }
    EEPtr &operator--() { return *this = index - 1; }
    EEPtr operator++(int) { return index++; }
    EEPtr operator--(int) { return index--; }
    bool operator!=(const EEPtr &other) const { return index != other.index; }

    int index;
};

/* All of it. An address beyond its end is taken modulo its length. Either context; in an interrupt
 * it is a busy wait for the byte that is being written. */
struct EEPROMClass
{
    EERef operator[](int at) const { return at; }
    uint8_t read(int at) const { return *EERef(at); }
    void write(int at, uint8_t value) const; /* also where it is that already */
    void update(int at, uint8_t value) const { EERef(at).update(value); }

    EEPtr begin() const { return 0; }
    EEPtr end() const { return length(); }
    uint16_t length() const { return E2END + 1; }

    /* A variable of any type that is plain bytes. put() writes those that are others. */
    template <typename T> T &get(int at, T &value) const
    {
        auto *bytes = reinterpret_cast<uint8_t *>(&value);
        for (unsigned n = 0; n < sizeof value; n++)
            bytes[n] = read(at + static_cast<int>(n));
        return value;
    }
    template <typename T> const T &put(int at, const T &value) const
    {
        const auto *bytes = reinterpret_cast<const uint8_t *>(&value);
        for (unsigned n = 0; n < sizeof value; n++)
            update(at + static_cast<int>(n), bytes[n]);
        return value;
    }
};

static const EEPROMClass EEPROM __attribute__((unused));

#endif
