/*
 * Serial over the serial driver; Serial1 is in Serial1.cpp.
 */
#include "HardwareSerial.h"

#include <takt/port.h>
#include <takt/uart.h>

HardwareSerial Serial(0);

void HardwareSerial::begin(unsigned long baud, uint8_t settings)
{
    uint8_t data = static_cast<uint8_t>(5 + (settings >> 1 & 3));
    uint8_t parity = settings >> 4 & 3; /* AVR's code: 2 even, 3 odd */
    uint8_t kind = parity == 2   ? TAKT_PARITY_EVEN
                   : parity == 3 ? TAKT_PARITY_ODD
                                 : TAKT_PARITY_NONE;
    takt::Hold hold(&own_.sending);
    takt_uart_open_linked(own_.port, static_cast<uint32_t>(baud), data, kind,
                          static_cast<uint8_t>(1 + (settings >> 3 & 1)));
}

void HardwareSerial::end()
{
    takt::Hold hold(&own_.sending);
    takt_uart_close(own_.port);
}

/* A port that is not open has nothing to read and takes nothing. */
int HardwareSerial::available()
{
    int n = takt_uart_available(own_.port);
    return n > 0 ? n : 0;
}

int HardwareSerial::read()
{
    return takt_uart_read(own_.port);
}

int HardwareSerial::peek()
{
    return takt_uart_peek(own_.port);
}

int HardwareSerial::availableForWrite()
{
    int n = takt_uart_free(own_.port);
    return n > 0 ? n : 0;
}

void HardwareSerial::flush()
{
    takt::Hold hold(&own_.sending);
    takt_uart_flush(own_.port);
}

size_t HardwareSerial::write_in_turn(uint8_t c)
{
    return write(&c, 1);
}

/* What need not wait takes no lock: it is done before anything else can begin. */
size_t HardwareSerial::write(uint8_t c)
{
    port_irq_t irq = port_irq_save();
    bool done = (TAKT_ONE_THREAD || own_.sending.is_free()) && takt_uart_put_locked(own_.port, c);
    port_irq_restore(irq);
    if (!done)
        return write_in_turn(c);
    return 1;
}

size_t HardwareSerial::write(const uint8_t *buffer, size_t size)
{
    takt::Hold hold(&own_.sending);
    int n = takt_uart_write(own_.port, buffer, size);
    if (n < 0)
        setWriteError(n);
    return n > 0 ? static_cast<size_t>(n) : 0;
}
