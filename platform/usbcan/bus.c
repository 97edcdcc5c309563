/* A channel's bus: frames that others send, and what a controller on it is doing. */
#include <string.h>

#include "bytes.h"
#include "device.h"

/* SplitMix64 (Steele, Lea, Flood 2014), between two bounds. */
uint64_t draw(uint64_t *seed, uint64_t low, uint64_t high)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return high > low ? low + z % (high - low + 1) : low;
}

void bus_init(struct channel *c)
{
    c->arrives = c->sent_at = c->recovers = NEVER;
}

bool bus_listening(const struct channel *c)
{
    return c->n.state != USBCAN_STOPPED && c->n.state != USBCAN_OFF;
}

static uint64_t injected_at(const struct channel *c)
{
    return c->injections != 0 ? c->injected[c->first].ns : NEVER;
}

uint64_t bus_next(const struct channel *c)
{
    uint64_t next = c->arrives < c->sent_at ? c->arrives : c->sent_at;
    next = c->recovers < next ? c->recovers : next;
    return injected_at(c) < next ? injected_at(c) : next;
}

/* A frame of others has ended. */
static void arrive(struct usbcan *d, const struct usbcan_frame *frame, uint32_t bitrate)
{
    struct channel *c = &d->channels[frame->channel];
    c->n.on_bus++;
    bool listening = d->n.plugged && bus_listening(c);
    if (listening && ((bitrate != 0 && bitrate != c->n.bitrate) ||
                      errors_damage(d, frame->channel))) {
        errors_bad(d, frame->channel, false);
        return;
    }
    if (d->seen)
        d->seen(d->context, frame);
    if (!listening) {
        c->n.unheard++;
        return;
    }
    c->n.heard++;
    errors_good(d, frame->channel, false);
    buffer_store(d, frame);
}

static void traffic_arrives(struct usbcan *d, uint32_t channel)
{
    struct channel *c = &d->channels[channel];
    struct usbcan_traffic *t = &c->traffic;
    struct usbcan_frame frame = {.ns = c->arrives, .channel = channel, .id = t->id,
                                 .flags = t->flags, .length = t->length};
    uint8_t data[8];
    put32(data, c->sequence++);
    put32(data + 4, (uint32_t)(c->arrives / 1000));
    if ((t->flags & USBCAN_REMOTE) == 0)
        memcpy(frame.data, data, t->length);
    if (t->count == 1)
        c->arrives = NEVER;
    else
        c->arrives += draw(&t->seed, t->shortest_ns, t->longest_ns);
    t->count -= t->count > 1;
    arrive(d, &frame, t->bitrate);
}

static void injected_arrives(struct usbcan *d, uint32_t channel)
{
    struct channel *c = &d->channels[channel];
    struct usbcan_frame frame = c->injected[c->first];
    c->first = (c->first + 1) % USBCAN_INJECTED;
    c->injections--;
    arrive(d, &frame, 0);
}

static void recover(struct usbcan *d, uint32_t channel)
{
    struct channel *c = &d->channels[channel];
    c->recovers = NEVER;
    c->n.state = USBCAN_ACTIVE;
    c->n.rx_errors = c->n.tx_errors = 0;
    d->kind->state_changed(d, channel, USBCAN_OFF);
    send_start(d, channel);
}

void bus_act(struct usbcan *d, uint32_t channel)
{
    struct channel *c = &d->channels[channel];
    uint64_t when = bus_next(c);
    if (c->recovers == when)
        recover(d, channel);
    else if (c->sent_at == when)
        send_done(d, channel);
    else if (injected_at(c) == when)
        injected_arrives(d, channel);
    else
        traffic_arrives(d, channel);
}

void bus_start(struct usbcan *d, uint32_t channel)
{
    struct channel *c = &d->channels[channel];
    c->n.state = USBCAN_ACTIVE;
    c->n.rx_errors = c->n.tx_errors = 0;
    c->recovers = NEVER;
    send_start(d, channel);
}

void bus_stop(struct usbcan *d, uint32_t channel)
{
    struct channel *c = &d->channels[channel];
    send_flush(d, channel);
    c->n.state = USBCAN_STOPPED;
    c->recovers = NEVER;
}

void bus_off(struct usbcan *d, uint32_t channel)
{
    struct channel *c = &d->channels[channel];
    uint32_t old = c->n.state;
    uint64_t bits = c->n.bitrate != 0 ? c->n.bitrate : 500000;
    if (!bus_listening(c))
        return;
    c->n.state = USBCAN_OFF;
    c->n.bus_offs++;
    c->n.tx_errors = 255;
    c->sent_at = NEVER;
    c->recovers = d->now + (d->settings.recovery_ns != 0 ? d->settings.recovery_ns
                                                         : 128 * 11 * 1000000000ull / bits);
    d->kind->state_changed(d, channel, old);
}

void bus_set(struct usbcan *d, uint32_t channel, uint32_t bitrate)
{
    d->channels[channel].n.bitrate = bitrate;
}
