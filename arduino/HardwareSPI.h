/*
 * What an SPI bus can do, whichever it is, and how it is to transfer.
 */
#ifndef TAKT_HARDWARE_SPI_H
#define TAKT_HARDWARE_SPI_H

#include "Arduino.h"

#include <takt/spi.h>

#define SPI_MODE0 0x00 /* clock idles low, data is taken at its rising edge */
#define SPI_MODE1 0x04 /* low, falling */
#define SPI_MODE2 0x08 /* high, falling */
#define SPI_MODE3 0x0C /* high, rising */

class SPISettings
{
  public:
    constexpr SPISettings() : SPISettings(4000000, MSBFIRST, SPI_MODE0) {}
    constexpr SPISettings(uint32_t hz, uint8_t order, uint8_t mode)
        : of_bytes_{hz < TAKT_SPI_HZ_MIN ? TAKT_SPI_HZ_MIN : hz, mode_of(mode), 8,
                    order == LSBFIRST}
    {
    }

    uint32_t getClockFreq() const { return of_bytes_.hz; }
    BitOrder getBitOrder() const { return of_bytes_.lsb_first ? LSBFIRST : MSBFIRST; }
    uint8_t getDataMode() const { return static_cast<uint8_t>(of_bytes_.mode << 2); }

    bool operator==(const SPISettings &other) const
    {
        const struct takt_spi_settings &a = of_bytes_, &b = other.of_bytes_;
        return a.hz == b.hz && a.mode == b.mode && a.lsb_first == b.lsb_first;
    }
    bool operator!=(const SPISettings &other) const { return !(*this == other); }

  private:
    friend class SPIClass;
    static constexpr uint8_t mode_of(uint8_t mode)
    {
        return static_cast<uint8_t>(mode >> 2 & 3);
    }
    struct takt_spi_settings of_bytes_;
};

class HardwareSPI
{
  public:
    virtual ~HardwareSPI() = default;

    virtual void begin() = 0;
    virtual void end() = 0;

    virtual void beginTransaction(SPISettings settings) = 0;
    virtual void endTransaction() = 0;

    virtual uint8_t transfer(uint8_t byte) = 0;
    virtual uint16_t transfer16(uint16_t word) = 0;
    /* What is received replaces what is sent. */
    virtual void transfer(void *buffer, size_t n) = 0;

    virtual void usingInterrupt(int interrupt) = 0;
    virtual void notUsingInterrupt(int interrupt) = 0;
    virtual void attachInterrupt() = 0;
    virtual void detachInterrupt() = 0;
};

namespace arduino
{
using ::HardwareSPI;
using ::SPISettings;
} // namespace arduino

#endif
