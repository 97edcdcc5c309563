/*
 * Wire and Wire1: I2C as Arduino has it, for several loops at once. A transaction blocks the
 * calling loop only, and every loop has a transmission and received bytes of its own: loops that
 * use one bus need no lock, their transactions come one after the other, the most urgent loop's
 * first (takt/i2c.h). Up to WIRE_LOOPS loops may use a bus.
 *
 * Tasks are one loop in this. From beginTransmission() to the end of the transmission, and from
 * requestFrom() until all bytes are read, no other task starts on top of the calling one, not even
 * a more urgent one. What a task has not read when it returns is dropped.
 *
 * With interrupts off nothing is sent and no time is lost: endTransmission() returns 4 and
 * requestFrom() 0.
 *
 * Different from an AVR board:
 *   - the time-out is on from the start (25 ms); a bus found stuck is freed without being asked;
 *   - endTransmission(false) sends nothing: its bytes go out with the requestFrom() to the same
 *     address that follows, with a repeated start, and what went wrong shows there. What follows
 *     instead sends them as a transaction of their own;
 *   - after requestFrom() there is always a stop;
 *   - no target ("slave") mode: begin(address), onReceive() and onRequest() do not compile; called
 *     through HardwareI2C they end the program.
 */
#ifndef Wire_h
#define Wire_h

#include <Arduino.h>
#include <HardwareI2C.h>

#if defined(ARDUINO_TAKT_SIM) || !defined(PIN_WIRE_SDA)
#error "Wire: this board has no I2C"
#endif

/* Both are the board's choice. */
#ifndef BUFFER_LENGTH
#define BUFFER_LENGTH 64 /* bytes in one transmission, and in one requestFrom() */
#endif
#ifndef WIRE_LOOPS
#define WIRE_LOOPS 8
#endif
#define WIRE_HAS_END         1
#define WIRE_HAS_TIMEOUT     1
#define TAKT_WIRE_NO_TARGET_ __attribute__((error("Takt's Wire has no target (slave) mode")))

namespace takt
{

/* What one loop is doing on a bus. Zeros: of no loop. */
struct WireSession {
    uint8_t owner; /* place of its thread + 1 */
    uint8_t address;
    enum : uint8_t {
        CLOSED,
        OPEN, /* between beginTransmission() and endTransmission() */
        HELD, /* to go out with the next requestFrom() */
        LEFT, /* the same by a task that has returned */
    } state;
    bool too_long;
    uint8_t filled;          /* of out */
    uint8_t received, taken; /* of in */
    uint8_t out[BUFFER_LENGTH];
    uint8_t in[BUFFER_LENGTH];
};

} // namespace takt

/* On AVR, where each virtual function takes RAM, it is no HardwareI2C. */
#ifdef __AVR__
class TwoWire : public Stream
#else
class TwoWire : public HardwareI2C
#endif
{
  public:
    constexpr TwoWire(uint8_t bus, uint8_t sda, uint8_t scl, takt::WireSession *sessions)
        : sessions_(sessions), bus_(bus), sda_(sda), scl_(scl)
    {
    }

    /* Opens the bus at 100 kHz, or at what setClock() has said. */
    void begin();
    void end();

    /* Other pins than the board's, before begin() (see takt/i2c.h for which there are). */
    void setSDA(uint8_t pin) { sda_ = pin; }
    void setSCL(uint8_t pin) { scl_ = pin; }

    /* 4 kHz to 1 MHz; beyond that, the nearest there is. Before or after begin(). */
    void setClock(uint32_t hz);

    /* How long a transaction may take from when the bus is ours, us: 1000 at least; 0: as good as
     * for ever. Freeing a stuck bus does not depend on the second argument. */
    void setWireTimeout(uint32_t us = 25000, bool reset_with_timeout = false);
    bool getWireTimeoutFlag() const { return timed_out_; }
    void clearWireTimeoutFlag() { timed_out_ = false; }

    void beginTransmission(uint8_t address);

    /* 0: done; 1: more than BUFFER_LENGTH bytes, nothing sent; 2: nothing at the address; 3: a byte
     * was refused; 4: the bus is stuck, not begun, this is an interrupt, or interrupts are off;
     * 5: timed out. */
    uint8_t endTransmission(bool stop);
    uint8_t endTransmission() { return endTransmission(true); }

    /* Reads up to BUFFER_LENGTH bytes; returns how many there are, all or none. */
    template <class Address, class Quantity>
    uint8_t requestFrom(Address address, Quantity quantity, bool stop = true)
    {
        (void)stop;
        return request(static_cast<uint8_t>(address), static_cast<size_t>(quantity));
    }
    size_t requestFrom(uint8_t address, size_t quantity, bool stop)
    {
        (void)stop;
        return request(address, quantity);
    }
    size_t requestFrom(uint8_t address, size_t quantity) { return request(address, quantity); }
    /* The same after writing the isize (0..3) low bytes of iaddress, most significant first. */
    uint8_t requestFrom(uint8_t address, uint8_t quantity, uint32_t iaddress, uint8_t isize,
                        uint8_t stop);

    size_t write(uint8_t byte) override;
    size_t write(const uint8_t *bytes, size_t n) override;
    using Print::write;
    size_t write(int n) { return write(static_cast<uint8_t>(n)); }
    size_t write(unsigned n) { return write(static_cast<uint8_t>(n)); }
    size_t write(long n) { return write(static_cast<uint8_t>(n)); }
    size_t write(unsigned long n) { return write(static_cast<uint8_t>(n)); }

    /* Of what the calling loop's last requestFrom() brought. */
    int available() override;
    int read() override;
    int peek() override;

    TAKT_WIRE_NO_TARGET_ void begin(uint8_t address);
    TAKT_WIRE_NO_TARGET_ void begin(int address);
    TAKT_WIRE_NO_TARGET_ void onReceive(void (*handler)(int));
    TAKT_WIRE_NO_TARGET_ void onRequest(void (*handler)(void));

  private:
    takt::WireSession *session();
    int transfer(takt::WireSession *s, uint8_t *in, size_t in_len);
    void send_held(takt::WireSession *s);
    uint8_t request(uint8_t address, size_t quantity);

    takt::WireSession *sessions_; /* WIRE_LOOPS of them */
    uint32_t timeout_us_ = 25000;
    uint32_t hz_ = 100000;
    uint8_t bus_, sda_, scl_;
    bool begun_ = false;
    volatile bool timed_out_ = false;
};

extern TwoWire Wire;
#ifdef PIN_WIRE1_SDA
extern TwoWire Wire1;
#endif

#endif
