/* What is the same wherever the bytes are. */
#include "EEPROM.h"

EERef &EERef::operator=(uint8_t value)
{
    if (**this != value)
        EEPROM.write(index, value);
    return *this;
}

uint8_t EERef::operator++(int)
{
    uint8_t before = **this;
    *this = static_cast<uint8_t>(before + 1);
    return before;
}

uint8_t EERef::operator--(int)
{
    uint8_t before = **this;
    *this = static_cast<uint8_t>(before - 1);
    return before;
}
