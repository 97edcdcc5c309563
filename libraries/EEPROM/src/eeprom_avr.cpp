/*
 * <avr/eeprom.h> in programs with this library. avr-libc's own functions set address and value with
 * interrupts on: beside them a byte of another loop would be read from their address, or they would
 * write to that loop's. These are the library's accesses.
 */
#ifdef __AVR__
#include "EEPROM.h"

#include <avr/eeprom.h>

namespace
{

int place(const void *at)
{
    return static_cast<int>(reinterpret_cast<uintptr_t>(at));
}

template <typename T> T get(const T *from)
{
    T value;
    eeprom_read_block(&value, from, sizeof value);
    return value;
}

} // namespace

void eeprom_read_block(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        static_cast<uint8_t *>(to)[i] = EEPROM.read(place(from) + static_cast<int>(i));
}

void eeprom_write_block(const void *from, void *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        EEPROM.write(place(to) + static_cast<int>(i), static_cast<const uint8_t *>(from)[i]);
}

void eeprom_update_block(const void *from, void *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        EEPROM.update(place(to) + static_cast<int>(i), static_cast<const uint8_t *>(from)[i]);
}

#define TAKT_EEPROM_OF(name, type)                                                                 \
    type eeprom_read_##name(const type *from)                                                      \
    {                                                                                              \
        return get(from);                                                                          \
    }                                                                                              \
    void eeprom_write_##name(type *to, type value)                                                 \
    {                                                                                              \
        eeprom_write_block(&value, to, sizeof value);                                              \
    }                                                                                              \
    void eeprom_update_##name(type *to, type value)                                                \
    {                                                                                              \
        eeprom_update_block(&value, to, sizeof value);                                             \
    }

TAKT_EEPROM_OF(byte, uint8_t)
TAKT_EEPROM_OF(word, uint16_t)
TAKT_EEPROM_OF(dword, uint32_t)
TAKT_EEPROM_OF(float, float)

#endif
