/*
 * pulseIn(): the edges are timed in the interrupt, each asked for by itself, so a call costs at
 * most two interrupts however fast the pin toggles.
 *
 *   WAITING --edge into the level--> INSIDE --edge out of it--> DONE, waiter woken
 *
 * An edge out of the level while WAITING ends a pulse that was under way at the call, and is not
 * asked for. The caller pays for the interrupts, so that calling in a loop on a pin that toggles
 * fast uses up its own budget, not that of others.
 */
#include <takt/job.h>
#include <takt/gpio.h>
#include <takt/port.h>
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/vcpu.h>

#include "Arduino.h"

namespace
{

enum class Pulse : uint8_t { WAITING, INSIDE, DONE };

struct PulseWait {
    struct takt_edge_watch watch; /* first: it is what the interrupt knows */
    struct takt_sem done;
    uint8_t into, out_of; /* takt_edge bits */
    Pulse state;
    uint8_t interrupts;
    takt_time_t start, length;
};

void finish(PulseWait &w, takt_time_t at)
{
    w.state = Pulse::DONE;
    w.length = at - w.start;
    takt_sem_signal_isr(&w.done);
}

void begin(PulseWait &w, takt_time_t at)
{
    w.state = Pulse::INSIDE;
    w.start = at;
    takt_gpio_await(&w.watch, w.out_of);
    bool inside = takt_gpio_read(w.watch.pin) == (w.into == TAKT_EDGE_RISE);
    if (!inside) /* over already: its end may have come before it was asked for */
        finish(w, port_now());
}

void follow(struct takt_edge_watch *watch, takt_time_t at)
{
    PulseWait &w = *reinterpret_cast<PulseWait *>(watch);
    w.interrupts++;
    if (w.state == Pulse::WAITING)
        begin(w, at);
    else if (w.state == Pulse::INSIDE)
        finish(w, at);
}

/* Where nothing can wait: the pin is looked at again and again. With interrupts off the clock of an
 * AVR forgets rounds of its counter, of ROUND_US or more: what counts is the time since the last
 * look, which is less than that. */
constexpr uint16_t ROUND_US = 0x8000;

__attribute__((noinline)) uint32_t poll_pulse(const PulseWait &w, uint32_t limit)
{
    uint16_t last = static_cast<uint16_t>(takt_now());
    uint32_t length = 0;
    uint8_t edge = 0; /* 0: before the pulse; 1: its begin is to come; 2: its end */
    do {
        uint16_t now = static_cast<uint16_t>(takt_now());
        uint16_t passed = static_cast<uint16_t>(now - last) % ROUND_US;
        last = now;
        if (passed >= limit)
            return 0;
        limit -= passed;
        if (edge == 2)
            length += passed;
        bool inside = (takt_gpio_read(w.watch.pin) != 0) == (w.into == TAKT_EDGE_RISE);
        if (inside == (edge == 1))
            edge++;
    } while (edge < 3);
    return length ? length : 1;
}

} // namespace

unsigned long pulseIn(uint8_t pin, uint8_t level, unsigned long timeout)
{
    uint8_t into = level ? TAKT_EDGE_RISE : TAKT_EDGE_FALL;
    uint8_t out_of = level ? TAKT_EDGE_FALL : TAKT_EDGE_RISE;
    PulseWait w = {{pin, follow, 0, 0, false, nullptr}, TAKT_SEM_BINARY_INIT(0), into, out_of,
                   Pulse::WAITING, 0, 0, 0};
    uint32_t limit =
        timeout < TAKT_DURATION_MAX ? static_cast<uint32_t>(timeout) : TAKT_DURATION_MAX;
    takt_begin_whole_call(); /* handlers know `w` */
    if (takt_gpio_watch(&w.watch) != TAKT_OK) {
        takt_end_whole_call();
        return 0;
    }
    takt_gpio_await(&w.watch, into);
    int waited = takt_sem_wait_for(&w.done, limit);
    takt_gpio_unwatch(&w.watch);
    takt_vcpu_charge(w.interrupts * TAKT_PULSE_IRQ_US);
    takt_end_whole_call();
    if (waited == TAKT_ECONTEXT)
        return poll_pulse(w, limit);
    if (w.state != Pulse::DONE)
        return 0;
    return w.length ? w.length : 1; /* 0 means that there was none */
}

unsigned long pulseInLong(uint8_t pin, uint8_t level, unsigned long timeout)
{
    return pulseIn(pin, level, timeout);
}
