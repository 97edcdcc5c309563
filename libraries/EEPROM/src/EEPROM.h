/*
 * Bytes that stay when the power is off, 255 at first. Several loops may use them without locks; a
 * byte is read and written whole, what put() writes is not.
 *
 * uno, atmega324p: the chip's EEPROM, 1 KB; a byte may be written some 100 000 times. Writing one
 * takes the memory 3.4 ms; what wants it meanwhile, to write or to read, waits: a loop without the
 * CPU. Either context; in an interrupt it is a busy wait. Functions of <avr/eeprom.h> do the same
 * where this file is included, too; alone they are avr-libc's, for one loop.
 *
 * pico: 4 KB, the last 32 KB of its flash as a log, which a new program leaves there; some 600
 * million bytes may be written. Reading is that of a variable, in either context. Writing takes 60
 * us of the loop's C, the first time after a start four times that, and room for a byte more; the
 * first byte ever and each 3009th begin another half of the log, 0.2 s, of which 6 ms are C,
 * while others that write wait. Nothing is written, and commit() says so, in an interrupt, with
 * interrupts off, and with a Mutex held while another loop writes.
 */
#ifndef EEPROM_h
#define EEPROM_h

#include <Arduino.h>

#if defined(__AVR__)
#define TAKT_EEPROM_BYTES (E2END + 1)
#elif defined(ARDUINO_ARCH_RP2040)
#define TAKT_EEPROM_BYTES 4096
#define E2END             (TAKT_EEPROM_BYTES - 1)
#else
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

/* All of it. An address beyond its end is taken modulo its length. */
struct EEPROMClass
{
    EERef operator[](int at) const { return at; }
    uint8_t read(int at) const { return *EERef(at); }
    void write(int at, uint8_t value) const; /* uno: also where it is that already */
    void update(int at, uint8_t value) const { EERef(at).update(value); }

    EEPtr begin() const { return 0; }
    EEPtr end() const { return length(); }
    uint16_t length() const { return TAKT_EEPROM_BYTES; }

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

#ifdef ARDUINO_ARCH_RP2040
    /* For sketches of cores that keep a copy: here bytes are written at once. commit(): could all
     * be, since it was last asked? */
    void begin(size_t) const {}
    bool commit() const;
#endif
};

static EEPROMClass EEPROM __attribute__((unused));

#endif
