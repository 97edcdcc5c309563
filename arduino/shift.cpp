/*
 * Shift registers by hand.
 */
#include "Arduino.h"

void shiftOut(uint8_t data_pin, uint8_t clock_pin, uint8_t order, uint8_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        unsigned bit_at = order == LSBFIRST ? i : 7 - i;
        digitalWrite(data_pin, value >> bit_at & 1);
        digitalWrite(clock_pin, HIGH);
        digitalWrite(clock_pin, LOW);
    }
}

uint8_t shiftIn(uint8_t data_pin, uint8_t clock_pin, uint8_t order)
{
    unsigned value = 0;
    for (unsigned i = 0; i < 8; i++) {
        digitalWrite(clock_pin, HIGH);
        unsigned bit_at = order == LSBFIRST ? i : 7 - i;
        value |= static_cast<unsigned>(digitalRead(data_pin)) << bit_at;
        digitalWrite(clock_pin, LOW);
    }
    return static_cast<uint8_t>(value);
}
