/*
 * What can send and receive datagrams: one is put together and one is read at a time.
 */
#ifndef TAKT_UDP_H
#define TAKT_UDP_H

#include "IPAddress.h"
#include "Stream.h"

class UDP : public Stream
{
  public:
    /* Receives on this port from now on. 1: done, 0: there is no socket left. */
    virtual uint8_t begin(uint16_t port) = 0;
    virtual uint8_t beginMulticast(IPAddress, uint16_t) { return 0; }
    virtual void stop() = 0;

    /* A datagram: begun for a receiver, written to, sent. 1: done, 0: not. */
    virtual int beginPacket(IPAddress address, uint16_t port) = 0;
    virtual int beginPacket(const char *host, uint16_t port) = 0;
    virtual int endPacket() = 0;
    using Print::write;
    virtual size_t write(const uint8_t *bytes, size_t n) override = 0;

    /* Goes on to the next datagram: its size, 0 if there is none. */
    virtual int parsePacket() = 0;
    /* Of what is left of it (available()). */
    using Stream::read;
    virtual int read(unsigned char *buffer, size_t n) = 0;
    virtual int read(char *buffer, size_t n) = 0;
    virtual void flush() override = 0;
    virtual IPAddress remoteIP() = 0;
    virtual uint16_t remotePort() = 0;

  protected:
    uint8_t *rawIPAddress(IPAddress &address) { return address.raw_address(); }
};

namespace arduino
{
using ::UDP;
} // namespace arduino

#endif
