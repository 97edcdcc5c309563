/* A USB-CAN adapter from outside: its life, its time, its counters. */
#include <string.h>

#include "device.h"

static const struct kind *const kinds[] = {&hydra_kind, &gs_kind};

enum { KINDS = sizeof kinds / sizeof kinds[0], SHORTEST_NS = 1000 };

uint32_t usbcan_size(void)
{
    return sizeof(struct usbcan);
}

int usbcan_defaults(struct usbcan_settings *s, uint32_t kind)
{
    if (kind >= KINDS)
        return USBCAN_BAD;
    *s = (struct usbcan_settings){.kind = kind, .channels = 5, .message_bytes = 64,
                                  .buffer_bytes = 4096, .serial = 1};
    if (kind == USBCAN_GS) {
        s->channels = 1;
        s->buffer_bytes = 64 * 24;
    }
    return 0;
}

int usbcan_init(struct usbcan *d, const struct usbcan_settings *s)
{
    if (s->kind >= KINDS || s->channels == 0 || s->channels > USBCAN_CHANNELS)
        return USBCAN_BAD;
    if (s->message_bytes < 40 || s->message_bytes > 128 || s->message_bytes % 4 != 0)
        return USBCAN_BAD;
    if (s->buffer_bytes < s->message_bytes || s->buffer_bytes > USBCAN_BUFFER)
        return USBCAN_BAD;
    memset(d, 0, sizeof *d);
    d->settings = *s;
    d->kind = kinds[s->kind];
    for (uint32_t i = 0; i < USBCAN_CHANNELS; i++)
        bus_init(&d->channels[i]);
    d->n.plugged = 1;
    return 0;
}

int usbcan_traffic(struct usbcan *d, uint32_t channel, const struct usbcan_traffic *t)
{
    bool extended = (t->flags & USBCAN_EXTENDED) != 0;
    if (channel >= d->settings.channels || t->length > 8 || t->longest_ns < t->shortest_ns)
        return USBCAN_BAD;
    if (t->shortest_ns != 0 && t->shortest_ns < SHORTEST_NS)
        return USBCAN_BAD;
    if (t->id > (extended ? 0x1fffffffu : 0x7ffu))
        return USBCAN_BAD;
    struct channel *c = &d->channels[channel];
    c->traffic = *t;
    c->arrives = t->start_ns > d->now ? t->start_ns : d->now;
    if (t->shortest_ns == 0)
        c->arrives = NEVER;
    return 0;
}

int usbcan_inject(struct usbcan *d, const struct usbcan_frame *frame)
{
    bool extended = (frame->flags & USBCAN_EXTENDED) != 0;
    if (frame->channel >= d->settings.channels || frame->length > 8)
        return USBCAN_BAD;
    if (frame->id > (extended ? 0x1fffffffu : 0x7ffu))
        return USBCAN_BAD;
    struct channel *c = &d->channels[frame->channel];
    if (c->injections == USBCAN_INJECTED)
        return USBCAN_BAD;
    uint32_t newest = (c->first + c->injections - 1) % USBCAN_INJECTED;
    uint64_t before = c->injections != 0 ? c->injected[newest].ns : d->now;
    struct usbcan_frame *new = &c->injected[(newest + 1) % USBCAN_INJECTED];
    if (c->injections++ == 0)
        new = &c->injected[c->first];
    *new = *frame;
    new->flags &= USBCAN_EXTENDED | USBCAN_REMOTE;
    new->ns = frame->ns > before ? frame->ns : before;
    return 0;
}

int usbcan_drain(struct usbcan *d, uint32_t channel, uint64_t shortest_ns, uint64_t longest_ns,
                 uint64_t seed)
{
    if (channel >= d->settings.channels || longest_ns < shortest_ns)
        return USBCAN_BAD;
    struct channel *c = &d->channels[channel];
    c->drain[0] = shortest_ns;
    c->drain[1] = longest_ns;
    c->drain_seed = seed;
    return 0;
}

void usbcan_reset(struct usbcan *d, uint64_t now)
{
    usbcan_advance(d, now);
    d->n.resets++;
    d->n.configured = 0;
    d->halted[0] = d->halted[1] = false;
    d->staged = 0;
    for (uint32_t i = 0; i < d->settings.channels; i++) {
        bus_stop(d, i);
        d->channels[i].n.bitrate = 0;
        d->channels[i].extended = d->channels[i].listens = d->channels[i].once = false;
    }
    buffer_flush(d);
}

void usbcan_plug(struct usbcan *d, uint64_t now, uint32_t plugged)
{
    uint64_t resets = d->n.resets;
    usbcan_reset(d, now);
    d->n.resets = resets;
    d->n.plugged = plugged != 0;
    if (plugged)
        faults_clear(d);
}

/* The channel with the earliest event, or USBCAN_CHANNELS. */
static uint32_t first_channel(const struct usbcan *d, uint64_t *when)
{
    uint32_t first = USBCAN_CHANNELS;
    *when = NEVER;
    for (uint32_t i = 0; i < d->settings.channels; i++) {
        uint64_t next = bus_next(&d->channels[i]);
        if (next < *when) {
            *when = next;
            first = i;
        }
    }
    return first;
}

void usbcan_advance(struct usbcan *d, uint64_t now)
{
    for (;;) {
        uint64_t when;
        uint32_t channel = first_channel(d, &when);
        bool fault = d->plans != 0 && d->plan[0].ns <= when;
        when = fault ? d->plan[0].ns : when;
        if (when > now || when == NEVER)
            break;
        d->now = when > d->now ? when : d->now;
        if (fault)
            fault_next_act(d);
        else
            bus_act(d, channel);
        commands_run(d);
    }
    d->now = now > d->now ? now : d->now;
}

uint64_t usbcan_next(const struct usbcan *d)
{
    uint64_t when;
    first_channel(d, &when);
    if (d->plans != 0 && d->plan[0].ns < when)
        when = d->plan[0].ns;
    const struct answer *answer = answer_oldest(d);
    if (answer && answer->due > d->now && answer->due < when)
        when = answer->due;
    return when;
}

void usbcan_watch(struct usbcan *d, void (*seen)(void *, const struct usbcan_frame *),
                  void *context)
{
    d->seen = seen;
    d->context = context;
}

void usbcan_counters(const struct usbcan *d, struct usbcan_counters *counters)
{
    *counters = d->n;
    counters->held_bytes = d->buffer.bytes;
}

int usbcan_channel(const struct usbcan *d, uint32_t channel,
                   struct usbcan_channel_counters *counters)
{
    if (channel >= d->settings.channels)
        return USBCAN_BAD;
    *counters = d->channels[channel].n;
    return 0;
}
