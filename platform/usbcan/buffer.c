/* What waits for the host: received frames, and answers beside them. */
#include <string.h>

#include "device.h"

/*
 *        head                     head + count
 *   ...| oldest | ...  | newest |  free ...           `bytes` of them count against the buffer
 *
 * A loss is a gap. The frame behind it carries the flag; when that one is lost as well, the next
 * does, so a run of losses with nothing delivered between is one overrun.
 */
static struct kept *kept_at(struct usbcan *d, uint32_t n)
{
    struct buffer *b = &d->buffer;
    return &b->ring[(b->head + n) % (sizeof b->ring / sizeof b->ring[0])];
}

static void forget_oldest(struct buffer *b)
{
    b->bytes -= b->ring[b->head].bytes;
    b->head = (b->head + 1) % (sizeof b->ring / sizeof b->ring[0]);
    b->count--;
}

static void overwrite_oldest(struct usbcan *d)
{
    struct buffer *b = &d->buffer;
    const struct kept *lost = kept_at(d, 0);
    d->channels[lost->frame.channel].n.overwritten++;
    if (!lost->gap)
        d->n.overruns++;
    forget_oldest(b);
    if (b->count != 0)
        kept_at(d, 0)->gap = true;
    else
        b->gap = true;
}

void buffer_store(struct usbcan *d, const struct usbcan_frame *frame)
{
    struct buffer *b = &d->buffer;
    struct usbcan_channel_counters *n = &d->channels[frame->channel].n;
    uint32_t bytes = d->kind->frame_bytes(d, frame->channel);
    if (b->bytes + bytes > d->settings.buffer_bytes && !d->kind->overwrites) {
        n->dropped++;
        d->n.overruns += !b->gap;
        b->gap = true;
        return;
    }
    while (b->bytes + bytes > d->settings.buffer_bytes)
        overwrite_oldest(d);
    *kept_at(d, b->count++) = (struct kept){*frame, (uint16_t)bytes, b->gap};
    b->gap = false;
    b->bytes += bytes;
    n->stored++;
    if (b->bytes > d->n.peak_bytes)
        d->n.peak_bytes = b->bytes;
}

const struct kept *buffer_oldest(const struct usbcan *d)
{
    return d->buffer.count != 0 ? &d->buffer.ring[d->buffer.head] : NULL;
}

void buffer_drop(struct usbcan *d)
{
    const struct kept *oldest = kept_at(d, 0);
    struct usbcan_channel_counters *n = &d->channels[oldest->frame.channel].n;
    uint64_t age = d->now - oldest->frame.ns;
    n->delivered++;
    if (age > n->oldest_ns)
        n->oldest_ns = age;
    d->n.flagged += oldest->gap;
    forget_oldest(&d->buffer);
}

void buffer_flush(struct usbcan *d)
{
    while (d->buffer.count != 0) {
        d->channels[kept_at(d, 0)->frame.channel].n.flushed++;
        forget_oldest(&d->buffer);
    }
    d->buffer.gap = false;
    d->answers.count = 0;
    d->rests = 0;
}

/* Every frame that waits to be sent will have an answer. */
bool answers_room(const struct usbcan *d)
{
    uint32_t promised = d->answers.count + 2;
    for (uint32_t i = 0; i < d->settings.channels; i++)
        promised += d->channels[i].n.queued;
    return promised <= ANSWERS - ANSWERS_SPARE;
}

struct answer *answer_add(struct usbcan *d, uint32_t length)
{
    struct answers *a = &d->answers;
    if (a->count == ANSWERS)
        return NULL;
    struct answer *new = &a->ring[(a->head + a->count) % ANSWERS];
    uint64_t due = d->now;
    if (a->count != 0) {
        uint64_t before = a->ring[(a->head + a->count - 1) % ANSWERS].due;
        due = before > due ? before : due;
    }
    a->count++;
    *new = (struct answer){.due = due, .length = length};
    return new;
}

struct answer *answer_reply(struct usbcan *d, uint32_t length)
{
    uint64_t late = 0;
    if (fault_takes(d, USBCAN_FAULT_MUTE, NULL))
        return NULL;
    struct answer *new = answer_add(d, length);
    if (!fault_takes(d, USBCAN_FAULT_LATE, &late))
        late = 0;
    if (new && new->due < d->now + d->settings.reply_ns + late)
        new->due = d->now + d->settings.reply_ns + late;
    return new;
}

const struct answer *answer_oldest(const struct usbcan *d)
{
    return d->answers.count != 0 ? &d->answers.ring[d->answers.head] : NULL;
}

void answer_drop(struct usbcan *d)
{
    d->answers.head = (d->answers.head + 1) % ANSWERS;
    d->answers.count--;
}
