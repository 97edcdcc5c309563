/*
 * Shift registers by hand.
 */
#include "Arduino.h"

void shiftOut(uint8_t data_pin, uint8_t clock_pin, uint8_t order, uint8_t value)
{
    for (uint8_t i = 0; i < 8; i++) {
        digitalWrite(data_pin, (value & (order == LSBFIRST ? 0x01u : 0x80u)) != 0);
        value = static_cast<uint8_t>(order == LSBFIRST ? value >> 1 : value << 1);
        digitalWrite(clock_pin, HIGH);
        digitalWrite(clock_pin, LOW);
    }
}

uint8_t shiftIn(uint8_t data_pin, uint8_t clock_pin, uint8_t order)
{
    uint8_t value = 0;
    for (uint8_t i = 0; i < 8; i++) {
        digitalWrite(clock_pin, HIGH);
        uint8_t bit = static_cast<uint8_t>(digitalRead(data_pin));
        value = static_cast<uint8_t>(order == LSBFIRST ? value >> 1 | bit << 7 : value << 1 | bit);
        digitalWrite(clock_pin, LOW);
    }
    return value;
}
