/*
 * Wire over the I2C driver. A loop finds its session by its place; it takes a free one the first
 * time and keeps it, so only that needs to exclude others.
 */
#include "Wire.h"

#include <takt/i2c.h>
#include <takt/port.h>
#include <takt/section.h>
#include <takt/thread.h>

namespace
{

takt::WireSession sessions0[WIRE_LOOPS];

enum : uint8_t { DONE, TOO_LONG, NO_ADDRESS, REFUSED, OTHER, TIMED_OUT };

uint8_t code_of(int result)
{
    switch (result) {
    case TAKT_ENACK:
        return NO_ADDRESS;
    case TAKT_EREFUSED:
        return REFUSED;
    case TAKT_ETIMEOUT:
        return TIMED_OUT;
    default:
        return result < 0 ? OTHER : DONE;
    }
}

} // namespace

TwoWire Wire(0, PIN_WIRE_SDA, PIN_WIRE_SCL, sessions0);

void TwoWire::begin()
{
    begun_ = takt_i2c_open(bus_, sda_, scl_, hz_) == TAKT_OK;
}

void TwoWire::end()
{
    if (takt_i2c_close(bus_) == TAKT_OK)
        begun_ = false;
}

void TwoWire::setClock(uint32_t hz)
{
    hz_ = constrain(hz, TAKT_I2C_HZ_MIN, TAKT_I2C_HZ_MAX);
    if (begun_)
        takt_i2c_open(bus_, sda_, scl_, hz_);
}

void TwoWire::setWireTimeout(uint32_t us, bool)
{
    if (us == 0 || us > TAKT_DURATION_MAX)
        us = TAKT_DURATION_MAX;
    timeout_us_ = us < TAKT_I2C_TIMEOUT_MIN ? TAKT_I2C_TIMEOUT_MIN : us;
}

/* The calling loop's session; NULL in interrupts, before the loops, and for one loop too many. */
takt::WireSession *TwoWire::session()
{
    uint8_t self = takt_self();
    if (port_in_isr() || self == TAKT_NOBODY)
        return nullptr;
    uint8_t owner = static_cast<uint8_t>(self + 1);
    for (unsigned i = 0; i < WIRE_LOOPS; i++)
        if (sessions_[i].owner == owner)
            return &sessions_[i];
    takt::WireSession *found = nullptr;
    port_irq_t irq = port_irq_save();
    TAKT_SECTION_US(10); /* some cycles for each of few sessions */
    for (unsigned i = 0; i < WIRE_LOOPS && !found; i++)
        if (sessions_[i].owner == 0)
            found = &sessions_[i];
    if (found)
        found->owner = owner;
    port_irq_restore(irq);
    return found;
}

/* What the session holds, then a read. */
int TwoWire::transfer(takt::WireSession *s, uint8_t *in, size_t in_len)
{
    int result = takt_i2c_transfer(bus_, s->address, s->out, s->filled, in, in_len, timeout_us_);
    if (result == TAKT_ETIMEOUT)
        timed_out_ = true;
    s->filled = 0;
    s->held = false;
    return result;
}

void TwoWire::send_held(takt::WireSession *s)
{
    if (s->held)
        transfer(s, nullptr, 0);
}

void TwoWire::beginTransmission(uint8_t address)
{
    takt::WireSession *s = session();
    if (!s)
        return;
    send_held(s);
    s->open = true;
    s->too_long = false;
    s->filled = 0;
    s->address = address & 0x7F;
}

uint8_t TwoWire::endTransmission(bool stop)
{
    takt::WireSession *s = session();
    if (!s || !s->open)
        return OTHER;
    s->open = false;
    if (s->too_long) {
        s->filled = 0;
        return TOO_LONG;
    }
    if (!stop) {
        s->held = true;
        return DONE;
    }
    return code_of(transfer(s, nullptr, 0));
}

uint8_t TwoWire::request(uint8_t address, size_t quantity)
{
    takt::WireSession *s = session();
    if (!s)
        return 0;
    if (s->address != (address & 0x7F))
        send_held(s);
    if (!s->held)
        s->filled = 0;
    s->address = address & 0x7F;
    s->open = false;
    s->received = s->taken = 0;
    if (quantity > BUFFER_LENGTH)
        quantity = BUFFER_LENGTH;
    int result = quantity > 0 ? transfer(s, s->in, quantity) : 0;
    s->received = static_cast<uint8_t>(result > 0 ? result : 0);
    return s->received;
}

uint8_t TwoWire::requestFrom(uint8_t address, uint8_t quantity, uint32_t iaddress, uint8_t isize,
                             uint8_t)
{
    beginTransmission(address);
    for (unsigned left = isize > 3 ? 3 : isize; left > 0; left--)
        write(static_cast<uint8_t>(iaddress >> 8 * (left - 1)));
    endTransmission(false);
    return request(address, quantity);
}

size_t TwoWire::write(uint8_t byte)
{
    return write(&byte, 1);
}

size_t TwoWire::write(const uint8_t *bytes, size_t n)
{
    takt::WireSession *s = session();
    if (!s || !s->open)
        return 0;
    size_t room = BUFFER_LENGTH - s->filled;
    if (n > room) {
        s->too_long = true;
        setWriteError();
        n = room;
    }
    memcpy(s->out + s->filled, bytes, n);
    s->filled = static_cast<uint8_t>(s->filled + n);
    return n;
}

int TwoWire::available()
{
    const takt::WireSession *s = session();
    return s ? s->received - s->taken : 0;
}

int TwoWire::read()
{
    takt::WireSession *s = session();
    return s && s->taken < s->received ? s->in[s->taken++] : -1;
}

int TwoWire::peek()
{
    const takt::WireSession *s = session();
    return s && s->taken < s->received ? s->in[s->taken] : -1;
}

#ifndef __AVR__ /* what HardwareI2C has, too */

static void stop_as_target()
{
    takt_fatal(TAKT_FATAL_CONTEXT, takt_self(), "Wire has no target (slave) mode");
}

void TwoWire::begin(uint8_t)
{
    stop_as_target();
}

void TwoWire::onReceive(void (*)(int))
{
    stop_as_target();
}

void TwoWire::onRequest(void (*)())
{
    stop_as_target();
}

#endif
