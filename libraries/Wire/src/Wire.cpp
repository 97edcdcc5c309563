/*
 * Wire over the I2C driver. A loop finds its session by its place; it takes a free one the first
 * time and keeps it, so only that needs to exclude others.
 *
 * All tasks have one session. While it is in use the kernel starts none on top of the one that runs
 * (takt/job.h), between any two instructions otherwise: so a session is seen to be in use before
 * anything else of it is changed, and to the end.
 */
#include "Wire.h"

#include <takt/i2c.h>
#include <takt/job.h>
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

/* What is written before it in the source is so in memory. */
inline void fence()
{
    __asm__ volatile("" ::: "memory");
}

takt::WireSession *session_of(takt::WireSession *sessions, uint8_t owner)
{
    for (unsigned i = 0; i < WIRE_LOOPS; i++)
        if (sessions[i].owner == owner)
            return &sessions[i];
    return nullptr;
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
    takt::WireSession *found = session_of(sessions_, owner);
    if (found)
        return found;
    port_irq_t irq = port_irq_save();
    TAKT_SECTION_US(10); /* some cycles for each of few sessions */
    found = session_of(sessions_, 0);
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
    fence();
    s->state = takt::WireSession::CLOSED;
    return result;
}

void TwoWire::send_held(takt::WireSession *s)
{
    if (s->state >= takt::WireSession::HELD)
        transfer(s, nullptr, 0);
}

void TwoWire::beginTransmission(uint8_t address)
{
    takt::WireSession *s = session();
    if (!s)
        return;
    send_held(s);
    s->state = takt::WireSession::OPEN;
    fence();
    s->too_long = false;
    s->filled = 0;
    s->address = address & 0x7F;
}

uint8_t TwoWire::endTransmission(bool stop)
{
    takt::WireSession *s = session();
    if (!s || s->state != takt::WireSession::OPEN)
        return OTHER;
    if (s->too_long) {
        s->state = takt::WireSession::CLOSED;
        return TOO_LONG;
    }
    if (!stop) {
        s->state = takt::WireSession::HELD;
        return DONE;
    }
    return code_of(transfer(s, nullptr, 0));
}

uint8_t TwoWire::request(uint8_t address, size_t quantity)
{
    takt::WireSession *s = session();
    if (!s)
        return 0;
    if (quantity > BUFFER_LENGTH)
        quantity = BUFFER_LENGTH;
    s->taken = 0;
    s->received = static_cast<uint8_t>(quantity);
    fence();
    if (s->address != (address & 0x7F))
        send_held(s);
    if (s->state < takt::WireSession::HELD) {
        s->state = takt::WireSession::CLOSED;
        s->filled = 0;
    }
    s->address = address & 0x7F;
    int result = quantity > 0 ? transfer(s, s->in, quantity) : 0;
    fence();
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
    if (!s || s->state != takt::WireSession::OPEN)
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
    if (!s || s->taken >= s->received)
        return -1;
    uint8_t byte = s->in[s->taken];
    fence();
    s->taken++;
    return byte;
}

int TwoWire::peek()
{
    const takt::WireSession *s = session();
    return s && s->taken < s->received ? s->in[s->taken] : -1;
}

#ifdef PIN_WIRE1_SDA
namespace takt
{
extern WireSession wire1_sessions[WIRE_LOOPS] __attribute__((weak)); /* there if Wire1 is used */
}
#define SESSIONS1 takt::wire1_sessions
#else
#define SESSIONS1 nullptr
#endif

static takt::WireSession *tasks_session(takt::WireSession *sessions)
{
    return sessions ? session_of(sessions, static_cast<uint8_t>(takt_self() + 1)) : nullptr;
}

static bool in_use(const takt::WireSession *s)
{
    using State = takt::WireSession;
    return s && (s->state == State::OPEN || s->state == State::HELD || s->taken < s->received);
}

static void drop(takt::WireSession *s)
{
    using State = takt::WireSession;
    if (!s)
        return;
    s->state = s->state >= State::HELD ? State::LEFT : State::CLOSED;
    s->taken = s->received;
}

bool takt_task_keeps_off()
{
    return in_use(tasks_session(sessions0)) || in_use(tasks_session(SESSIONS1));
}

void takt_task_over()
{
    drop(tasks_session(sessions0));
    drop(tasks_session(SESSIONS1));
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
