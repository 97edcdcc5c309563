/* The registers are used with interrupts off, a microsecond each time: then no other loop has the
 * memory busy again. */
#ifdef __AVR__
#include "EEPROM.h"

#include <avr/io.h>

namespace
{

/* Interrupts off, and the memory idle. */
class Idle
{
  public:
    Idle() : state_(SREG)
    {
        cli();
        while (EECR & _BV(EEPE)) {
            SREG = state_;
            delay(1);
            cli();
        }
    }
    ~Idle() { SREG = state_; }
    Idle(const Idle &) = delete;
    Idle &operator=(const Idle &) = delete;

  private:
    const uint8_t state_;
};

} // namespace

uint8_t EERef::operator*() const
{
    Idle idle;
    EEAR = static_cast<uint16_t>(index) & E2END;
    EECR |= _BV(EERE);
    return EEDR;
}

void EEPROMClass::write(int at, uint8_t value) const
{
    Idle idle;
    EEAR = static_cast<uint16_t>(at) & E2END;
    EEDR = value;
    EECR = _BV(EEMPE);
    EECR |= _BV(EEPE); /* an SBI: within four cycles */
}

#endif
