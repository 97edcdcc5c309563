#include "SoftwareSerial.h"

void SoftwareSerial::start(long baud)
{
    takt_soft_uart_begin(&port_, rx_, tx_, inverted_, static_cast<uint32_t>(baud));
}

bool SoftwareSerial::listen()
{
    bool before = port_.listens;
    takt_soft_uart_listen(&port_, true);
    return !before;
}

bool SoftwareSerial::stopListening()
{
    bool before = port_.listens;
    takt_soft_uart_listen(&port_, false);
    return before;
}

/* 0 in interrupts and under a mutex, while the byte before is still being sent. */
size_t SoftwareSerial::write(uint8_t byte)
{
    int result = takt_soft_uart_write(&port_, byte);
    if (result != TAKT_OK)
        setWriteError();
    return result == TAKT_OK;
}
