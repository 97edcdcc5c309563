/*
 * Serial and Serial1: serial ports as Arduino has them. Every single call is one piece for the
 * other loops; waiting, for room or for bytes, blocks the calling loop only.
 */
#ifndef HardwareSerial_h
#define HardwareSerial_h

#include "Stream.h"

/* Settings for begin(): data bits 5..8; parity N, E, O; stop bits 1 or 2. */
#define TAKT_SERIAL_(data, parity, stop) (((data)-5) << 1 | ((stop)-1) << 3 | (parity) << 4)
#define SERIAL_5N1                       TAKT_SERIAL_(5, 0, 1)
#define SERIAL_6N1                       TAKT_SERIAL_(6, 0, 1)
#define SERIAL_7N1                       TAKT_SERIAL_(7, 0, 1)
#define SERIAL_8N1                       TAKT_SERIAL_(8, 0, 1)
#define SERIAL_5N2                       TAKT_SERIAL_(5, 0, 2)
#define SERIAL_6N2                       TAKT_SERIAL_(6, 0, 2)
#define SERIAL_7N2                       TAKT_SERIAL_(7, 0, 2)
#define SERIAL_8N2                       TAKT_SERIAL_(8, 0, 2)
#define SERIAL_5E1                       TAKT_SERIAL_(5, 2, 1)
#define SERIAL_6E1                       TAKT_SERIAL_(6, 2, 1)
#define SERIAL_7E1                       TAKT_SERIAL_(7, 2, 1)
#define SERIAL_8E1                       TAKT_SERIAL_(8, 2, 1)
#define SERIAL_5E2                       TAKT_SERIAL_(5, 2, 2)
#define SERIAL_6E2                       TAKT_SERIAL_(6, 2, 2)
#define SERIAL_7E2                       TAKT_SERIAL_(7, 2, 2)
#define SERIAL_8E2                       TAKT_SERIAL_(8, 2, 2)
#define SERIAL_5O1                       TAKT_SERIAL_(5, 3, 1)
#define SERIAL_6O1                       TAKT_SERIAL_(6, 3, 1)
#define SERIAL_7O1                       TAKT_SERIAL_(7, 3, 1)
#define SERIAL_8O1                       TAKT_SERIAL_(8, 3, 1)
#define SERIAL_5O2                       TAKT_SERIAL_(5, 3, 2)
#define SERIAL_6O2                       TAKT_SERIAL_(6, 3, 2)
#define SERIAL_7O2                       TAKT_SERIAL_(7, 3, 2)
#define SERIAL_8O2                       TAKT_SERIAL_(8, 3, 2)

class HardwareSerial final : public Stream
{
  public:
    constexpr explicit HardwareSerial(uint8_t port) : Stream(&own_), own_{port} {}

    void begin(unsigned long baud, uint8_t settings = SERIAL_8N1);
    void end();
    explicit operator bool() const { return true; }

    int available() override;
    int read() override;
    int peek() override;
    int availableForWrite() override;
    void flush() override;
    size_t write(uint8_t c) override;
    size_t write(const uint8_t *buffer, size_t size) override;

    using Print::write;
    size_t write(int n) { return write(static_cast<uint8_t>(n)); }
    size_t write(unsigned n) { return write(static_cast<uint8_t>(n)); }
    size_t write(long n) { return write(static_cast<uint8_t>(n)); }
    size_t write(unsigned long n) { return write(static_cast<uint8_t>(n)); }

  private:
    __attribute__((noinline)) size_t write_in_turn(uint8_t c);

    takt::SerialGate own_;
};

extern HardwareSerial Serial;
extern HardwareSerial Serial1;

namespace arduino
{
using ::HardwareSerial;
} // namespace arduino

#endif
