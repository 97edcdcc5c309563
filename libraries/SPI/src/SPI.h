/*
 * SPI and SPI1: SPI as Arduino has it, for several loops at once. A transfer keeps only the calling
 * loop busy or waiting (takt/spi.h); another loop that calls beginTransaction() waits until the one
 * in a transaction calls endTransaction(), and if that one's budget is used up, for its next. Loops
 * that share a bus must therefore use transactions, and keep them short.
 *
 * Clocks below 100 kHz become 100 kHz. A handler attached to an interrupt runs on a thread and
 * waits for its turn like any loop; noInterrupts() does not wait for one that does, so it may be
 * called within a transaction. So usingInterrupt() has nothing to do. In attachInterruptIsr()
 * handlers, before setup() and under a takt::Mutex, transfer() does nothing and returns 0.
 *
 * With interrupts off transfer() works by polling, and beginTransaction() begins a transaction if
 * no other loop is within one; else the settings stay that loop's, and transfer() does nothing and
 * returns 0 while a transfer of that loop is under way. A loop that waits
 * for a transaction that ends with interrupts off goes on at the next interrupt after that.
 *
 * A block has at most 32767 frames where int has 16 bits, on AVR boards; else as many as fit.
 *
 * On AVR boards handlers may run in the interrupt (arduino/README.md). There transfer() works
 * unless it comes in the midst of another one, when it does nothing; usingInterrupt() keeps all
 * handlers off during the transactions of loop().
 */
#ifndef SPI_h
#define SPI_h

#include <Arduino.h>
#include <HardwareSPI.h>
#include <takt/spi.h>

#if defined(ARDUINO_TAKT_SIM) || !defined(PIN_SPI_SCK)
#error "SPI: this board has no SPI"
#endif

#define SPI_HAS_TRANSACTION       1
#define SPI_HAS_NOTUSINGINTERRUPT 1

#define SPI_CLOCK_DIV4   0x00 /* of 16 MHz, whatever the board's clock, as the sketches mean it */
#define SPI_CLOCK_DIV16  0x01
#define SPI_CLOCK_DIV64  0x02
#define SPI_CLOCK_DIV128 0x03
#define SPI_CLOCK_DIV2   0x04
#define SPI_CLOCK_DIV8   0x05
#define SPI_CLOCK_DIV32  0x06

/* On AVR, where each virtual function takes RAM, it is a class of its own. */
#ifdef __AVR__
class SPIClass
#else
class SPIClass : public HardwareSPI
#endif
{
  public:
    constexpr SPIClass(uint8_t bus, uint8_t sck, uint8_t mosi, uint8_t miso)
        : bus_(bus), sck_(sck), mosi_(mosi), miso_(miso)
    {
    }

    void begin() { takt_spi_open(bus_, sck_, mosi_, miso_); }
    void end() { takt_spi_close(bus_); }

    /* Other pins than the board's, before begin() (see takt/spi.h for which there are). */
    void setSCK(uint8_t pin) { sck_ = pin; }
    void setMOSI(uint8_t pin) { mosi_ = pin; }
    void setMISO(uint8_t pin) { miso_ = pin; }

    void beginTransaction(SPISettings settings);
    void endTransaction();

    uint8_t transfer(uint8_t byte);
    uint16_t transfer16(uint16_t word);
    void transfer(void *buffer, size_t n); /* what is received replaces what is sent */
    /* out, in: either may be NULL: zeros; dropped. As many, or an error of takt_spi_transfer(). */
    int transfer(const void *out, void *in, size_t n);
    int transfer16(const uint16_t *out, uint16_t *in, size_t n);

    /* As before transactions; for all loops. */
    void setBitOrder(uint8_t order) { settings_.of_bytes_.lsb_first = order == LSBFIRST; }
    void setDataMode(uint8_t mode) { settings_.of_bytes_.mode = SPISettings::mode_of(mode); }
    void setClockDivider(uint8_t divider);

    void usingInterrupt(int interrupt);
    void notUsingInterrupt(int) {}
    void attachInterrupt() {} /* of the bus as a target: never */
    void detachInterrupt() {}

  private:
    takt::OwnerLock transaction_;
    SPISettings settings_;
    uint8_t bus_, sck_, mosi_, miso_;
#ifdef __AVR__
    bool keeps_off_ = false; /* handlers, from a transaction */
    uint8_t depth_ = 0;      /* of transactions with handlers off */
    uint8_t before_ = 0;     /* as interrupts were */
#endif
};

extern SPIClass SPI;
#ifdef PIN_SPI1_SCK
extern SPIClass SPI1;
#endif

#ifdef ARDUINO_ARCH_RP2040
#include <hardware/spi.h>
#endif

#endif
