/*
 * What an I2C bus can do, whichever it is.
 */
#ifndef TAKT_HARDWARE_I2C_H
#define TAKT_HARDWARE_I2C_H

#include "Stream.h"

class HardwareI2C : public Stream
{
  public:
    virtual void begin() = 0;
    virtual void begin(uint8_t address) = 0;
    virtual void end() = 0;
    virtual void setClock(uint32_t hz) = 0;

    virtual void beginTransmission(uint8_t address) = 0;
    /* 0: done; else what went wrong (Wire.h). */
    virtual uint8_t endTransmission(bool stop) = 0;
    virtual uint8_t endTransmission() = 0;
    /* How many bytes there are to read. */
    virtual size_t requestFrom(uint8_t address, size_t n, bool stop) = 0;
    virtual size_t requestFrom(uint8_t address, size_t n) = 0;

    virtual void onReceive(void (*handler)(int)) = 0;
    virtual void onRequest(void (*handler)()) = 0;
};

namespace arduino
{
using ::HardwareI2C;
} // namespace arduino

#endif
