/*
 * Serial ports on any two pins, as Arduino's SoftwareSerial, over takt/soft_uart.h: an interrupt
 * for each bit. Up to 19200 baud on the pico; on the uno 9600, or 2400 both ways at once, or 1200
 * beside budgets.
 * Any number of ports receive at once, and send meanwhile; listen() is for sketches that take
 * turns. write() sleeps until the byte before is out.
 */
#ifndef SoftwareSerial_h
#define SoftwareSerial_h

#include <Arduino.h>

#if !__has_include(<soft_alarm.h>)
#error "SoftwareSerial: this board has no alarm for it"
#endif

#include <takt/soft_uart.h>

/* Nowhere defined: a call that is left is an error (tools/takt/build/mistakes/constants.py). */
void takt_no_such_baud_begin(void)
    __attribute__((error("choose one from 600 up to 19200 on the pico, 9600 on the uno, 4800 on "
                         "the atmega324p, at both ends, or use the hardware's Serial or Serial1")));

#define _SS_MAX_RX_BUFF TAKT_SOFT_UART_ROOM

class SoftwareSerial : public Stream
{
  public:
    SoftwareSerial(uint8_t rx, uint8_t tx, bool inverted = false)
        : rx_(rx), tx_(tx), inverted_(inverted)
    {
    }

    ~SoftwareSerial() { end(); }
    SoftwareSerial(const SoftwareSerial &) = delete;
    SoftwareSerial &operator=(const SoftwareSerial &) = delete;

    /* Listens from now on. The build refuses a constant speed that the board cannot do; with one
     * that is known at run time only the port is false, and sends and receives nothing. Thread or
     * main. */
    __attribute__((always_inline)) void begin(long baud)
    {
        constexpr long most = SOFT_UART_BAUD;
        if (__builtin_constant_p(baud) && (baud < TAKT_SOFT_UART_SLOWEST || baud > most))
            takt_no_such_baud_begin();
        start(baud);
    }
    void end() { takt_soft_uart_end(&port_); }

    /* Whether it did not listen before. */
    bool listen();
    /* From begin() on, whether other ports do or not. */
    bool isListening() const { return port_.listens; }
    bool stopListening();

    /* Have received bytes been lost since this was last asked? */
    bool overflow() { return takt_soft_uart_lost(&port_); }

    size_t write(uint8_t byte) override;
    using Print::write;
    int available() override { return takt_soft_uart_available(&port_); }
    int read() override { return takt_soft_uart_read(&port_); }
    int peek() override { return takt_soft_uart_peek(&port_); }
    void flush() override { takt_soft_uart_flush(&port_); }
    operator bool() const { return port_.bit != 0; }

  private:
    void start(long baud);

    struct takt_soft_uart port_ = {};
    uint8_t rx_, tx_;
    bool inverted_;
};

#endif
