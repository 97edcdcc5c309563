/*
 * What a connection to a server can do, whatever it goes over.
 */
#ifndef TAKT_CLIENT_H
#define TAKT_CLIENT_H

#include "IPAddress.h"
#include "Stream.h"

class Client : public Stream
{
  public:
    /* 1: connected. */
    virtual int connect(IPAddress address, uint16_t port) = 0;
    virtual int connect(const char *host, uint16_t port) = 0;
    using Print::write;
    virtual size_t write(const uint8_t *bytes, size_t n) override = 0;
    using Stream::read;
    /* How many bytes are in the buffer; below 1: none. */
    virtual int read(uint8_t *buffer, size_t n) = 0;
    virtual void flush() override = 0;
    virtual void stop() = 0;
    /* Also when what has been received is not all read. */
    virtual uint8_t connected() = 0;
    virtual operator bool() = 0;

  protected:
    uint8_t *rawIPAddress(IPAddress &address) { return address.raw_address(); }
};

namespace arduino
{
using ::Client;
} // namespace arduino

#endif
