/* Frames of the host's: they wait in a queue per channel and leave at the speed of the bus. */
#include <string.h>

#include "device.h"

bool send_room(const struct usbcan *d, uint32_t channel)
{
    return d->channels[channel].n.queued < USBCAN_QUEUE;
}

void send_queue(struct usbcan *d, const struct usbcan_frame *frame, uint32_t token)
{
    struct channel *c = &d->channels[frame->channel];
    c->queue[(c->head + c->n.queued++) % USBCAN_QUEUE] = (struct transmit){*frame, token};
    c->n.asked++;
    if (c->n.queued == 1)
        send_start(d, frame->channel);
}

/* Puts the head of the queue on the bus. */
void send_start(struct usbcan *d, uint32_t channel)
{
    struct channel *c = &d->channels[channel];
    if (c->n.queued == 0 || !bus_listening(c))
        return;
    uint64_t rate = c->n.bitrate != 0 ? c->n.bitrate : 500000;
    uint64_t bits = frame_bits(&c->queue[c->head].frame);
    uint64_t end = d->now + (bits * 1000000000u + rate - 1) / rate;
    uint64_t allowed = 0;
    if (c->drain[0] != 0)
        allowed = c->last_sent + draw(&c->drain_seed, c->drain[0], c->drain[1]);
    c->sent_at = end > allowed ? end : allowed;
}

static void leave(struct channel *c)
{
    c->head = (c->head + 1) % USBCAN_QUEUE;
    c->n.queued--;
    c->sent_at = NEVER;
}

void send_done(struct usbcan *d, uint32_t channel)
{
    struct channel *c = &d->channels[channel];
    struct transmit t = c->queue[c->head];
    uint32_t rate = c->traffic.bitrate;
    bool damaged = (c->arrives != NEVER && rate != 0 && rate != c->n.bitrate) ||
                   errors_damage(d, channel);
    c->sent_at = NEVER;
    if (damaged) {
        errors_bad(d, channel, true);
        if (c->once) {
            leave(c);
            c->n.unsent++;
            d->kind->sent(d, channel, &t, true);
        }
    } else {
        leave(c);
        c->n.sent++;
        c->last_sent = t.frame.ns = d->now;
        errors_good(d, channel, true);
        if (d->seen)
            d->seen(d->context, &t.frame);
        d->kind->sent(d, channel, &t, false);
    }
    send_start(d, channel);
}

void send_flush(struct usbcan *d, uint32_t channel)
{
    struct channel *c = &d->channels[channel];
    c->n.unsent += c->n.queued;
    c->n.queued = 0;
    c->sent_at = NEVER;
}

/* The bits of a frame as they go over the bus, stuffed and with their CRC (ISO 11898-1, 10.4). */
struct bits {
    uint32_t count, crc, run;
    bool last;
};

static void put(struct bits *b, uint32_t value, uint32_t width)
{
    for (uint32_t i = width; i-- > 0;) {
        bool bit = (value >> i & 1) != 0;
        bool over = (b->crc >> 14 & 1) != bit;
        b->crc = (b->crc << 1 ^ (over ? 0x4599u : 0)) & 0x7fff;
        b->run = bit == b->last ? b->run + 1 : 1;
        b->last = bit;
        b->count++;
        if (b->run == 5) { /* the stuffed bit starts a run of its own */
            b->count++;
            b->last = !bit;
            b->run = 1;
        }
    }
}

uint32_t frame_bits(const struct usbcan_frame *f)
{
    enum { CRC_DELIMITER_TO_GAP = 1 + 2 + 7 + 3 };
    struct bits b = {.last = true};
    bool remote = (f->flags & USBCAN_REMOTE) != 0;
    put(&b, 0, 1);
    if ((f->flags & USBCAN_EXTENDED) != 0) {
        put(&b, f->id >> 18 & 0x7ff, 11);
        put(&b, 3, 2);
        put(&b, f->id & 0x3ffff, 18);
        put(&b, remote ? 4 : 0, 3);
    } else {
        put(&b, f->id & 0x7ff, 11);
        put(&b, remote ? 4 : 0, 3);
    }
    put(&b, f->length, 4);
    for (uint32_t i = 0; i < f->length && !remote; i++)
        put(&b, f->data[i], 8);
    put(&b, b.crc, 15);
    return b.count + CRC_DELIMITER_TO_GAP;
}
