/*
 * Analog inputs; analog_write.cpp has the outputs.
 */
#include <takt/adc.h>
#include <takt/fact.h>

#include "Arduino.h"
#include "bits.h"

namespace
{

constexpr int ADC_BITS = 12;     /* of takt_adc_read() */

uint8_t read_bits = 10;

} // namespace

#ifdef __AVR__ /* shifts are loops there */
#define TAKES(us) TAKT_FACT("takes " us)
#else
#define TAKES(us) (void)0
#endif

int analogRead(uint8_t pin)
{
    TAKES("350");
    int value = takt_adc_read(pin < NUM_ANALOG_INPUTS ? static_cast<uint8_t>(pin + PIN_A0) : pin);
    if (value < 0)
        return 0;
    if (read_bits == 10)
        return value >> (ADC_BITS - 10);
    return read_bits < ADC_BITS ? value >> (ADC_BITS - read_bits) : value << (read_bits - ADC_BITS);
}

void analogReadResolution(int bits)
{
    read_bits = takt::sane_bits(bits);
}

#ifdef __AVR__
void analogReference(uint8_t mode)
{
    (void)takt_adc_reference(mode);
}
#else
void analogReference(uint8_t) {}
#endif
