/* Hydra: frames to the bus and from it, what became of them, and the state of a channel. */
#include <string.h>

#include "bytes.h"
#include "hydra.h"

void hydra_header(uint8_t *out, uint32_t command, uint32_t from, uint32_t to, uint32_t transid)
{
    out[0] = (uint8_t)command;
    out[1] = (uint8_t)((from & 0x30) << 2 | (to & 0x3f));
    put16(out + 2, (from & 0xf) << 12 | (transid & 0xfff));
}

uint64_t hydra_ticks(uint64_t ns)
{
    return ns / 1000 * TICKS_PER_US + ns % 1000 * TICKS_PER_US / 1000;
}

void hydra_put_ticks(uint8_t *out, uint64_t ns, uint32_t bytes)
{
    uint64_t ticks = hydra_ticks(ns);
    for (uint32_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)(ticks >> 8 * i);
}

/* What acknowledges a frame is told by its token: the request's transid, and its kind. */
enum { TOKEN_EXTENDED = 1 << 12 };

/* A frame that cannot be sent is refused, as by a stopped controller; it has no answer. */
static bool give(struct usbcan *d, const struct usbcan_frame *frame, uint32_t token)
{
    struct channel *c = &d->channels[frame->channel];
    if (c->n.state == USBCAN_STOPPED || c->listens || frame->length > 8) {
        d->n.malformed++;
        return true;
    }
    if (!send_room(d, frame->channel))
        return false;
    send_queue(d, frame, token);
    return true;
}

bool hydra_transmit(struct usbcan *d, uint32_t channel, const uint8_t *command)
{
    const uint8_t *p = command + HEADER_BYTES;
    struct usbcan_frame frame = {.channel = channel, .id = get32(p), .flags = USBCAN_SENT,
                                 .length = p[12] & 0xf};
    if ((frame.id & 1u << 31) != 0)
        frame.flags |= USBCAN_EXTENDED;
    if ((p[13] & FLAG_REMOTE) != 0)
        frame.flags |= USBCAN_REMOTE;
    frame.id &= (frame.flags & USBCAN_EXTENDED) != 0 ? 0x1fffffffu : 0x7ffu;
    memcpy(frame.data, p + 4, 8);
    d->channels[channel].once = false;
    return give(d, &frame, get16(command + 2) & 0xfff);
}

bool hydra_transmit_extended(struct usbcan *d, uint32_t channel, const uint8_t *command,
                             uint32_t size)
{
    enum { PAYLOAD = 8 + 24, ONCE = 1 << 16 };
    const uint8_t *p = command + 8;
    if (size < PAYLOAD || size < PAYLOAD + (uint32_t)p[16]) {
        d->n.malformed++;
        return true;
    }
    uint32_t flags = get32(p), head = get32(p + 12);
    struct usbcan_frame frame = {.channel = channel, .id = get32(p + 4), .flags = USBCAN_SENT,
                                 .length = head >> 8 & 0xf};
    if ((flags & FLAG_EXTENDED) != 0)
        frame.flags |= USBCAN_EXTENDED;
    if ((flags & FLAG_REMOTE) != 0)
        frame.flags |= USBCAN_REMOTE;
    frame.id &= (frame.flags & USBCAN_EXTENDED) != 0 ? 0x1fffffffu : 0x7ffu;
    memcpy(frame.data, command + PAYLOAD, p[16] < 8 ? p[16] : 8);
    d->channels[channel].once = (head & ONCE) != 0;
    return give(d, &frame, TOKEN_EXTENDED | (get16(command + 2) & 0xfff));
}

uint32_t hydra_frame_bytes(const struct usbcan *d, uint32_t channel)
{
    return d->channels[channel].extended ? d->settings.message_bytes : COMMAND_BYTES;
}

static uint32_t flags_of(const struct kept *kept)
{
    uint32_t flags = kept->gap ? FLAG_OVERRUN : 0;
    if ((kept->frame.flags & USBCAN_REMOTE) != 0)
        flags |= FLAG_REMOTE;
    if ((kept->frame.flags & USBCAN_EXTENDED) != 0)
        flags |= FLAG_EXTENDED;
    return flags;
}

static uint32_t plain_frame(const struct kept *kept, uint8_t *out)
{
    const struct usbcan_frame *f = &kept->frame;
    uint8_t *p = out + HEADER_BYTES;
    hydra_header(out, RECEIVED, AT_CHANNEL + f->channel, 0, 0);
    p[0] = COMMAND_BYTES - HEADER_BYTES;
    p[1] = RECEIVED;
    p[2] = (uint8_t)f->channel;
    p[3] = (uint8_t)flags_of(kept);
    hydra_put_ticks(p + 4, f->ns, 6);
    p[10] = (uint8_t)f->length;
    put32(p + 12, f->id | ((f->flags & USBCAN_EXTENDED) != 0 ? 1u << 31 : 0));
    memcpy(p + 16, f->data, 8);
    return COMMAND_BYTES;
}

static void extended_header(uint8_t *out, uint32_t command, uint32_t channel, uint32_t transid,
                            uint32_t length)
{
    hydra_header(out, EXTENDED, AT_CHANNEL + channel, 0, transid);
    put16(out + 4, length);
    out[6] = (uint8_t)command;
}

uint32_t hydra_frame(const struct usbcan *d, const struct kept *kept, uint8_t *out)
{
    const struct usbcan_frame *f = &kept->frame;
    bool wide = (f->flags & USBCAN_EXTENDED) != 0;
    bool remote = (f->flags & USBCAN_REMOTE) != 0;
    uint8_t *p = out + 8;
    if (!d->channels[f->channel].extended || kept->bytes == COMMAND_BYTES)
        return plain_frame(kept, out);
    extended_header(out, RECEIVED_EXTENDED, f->channel, 0, kept->bytes);
    put32(p, flags_of(kept));
    put32(p + 4, f->id);
    put32(p + 8, f->id | (wide ? 3u << 30 : 0) | (remote ? 1u << 29 : 0));
    put32(p + 12, f->length << 8);
    hydra_put_ticks(p + 16, f->ns, 8);
    memcpy(p + 24, f->data, 8);
    return kept->bytes;
}

void hydra_sent(struct usbcan *d, uint32_t channel, const struct transmit *t, bool failed)
{
    struct answer *a = answer_add(d, COMMAND_BYTES);
    if (!a)
        return;
    if ((t->token & TOKEN_EXTENDED) == 0) {
        hydra_header(a->bytes, TRANSMITTED, AT_CHANNEL + channel, 0, t->token);
        hydra_put_ticks(a->bytes + HEADER_BYTES, d->now, 6);
        return;
    }
    extended_header(a->bytes, TRANSMITTED_EXTENDED, channel, t->token, COMMAND_BYTES);
    put32(a->bytes + 8, failed ? FLAG_NOT_ACKNOWLEDGED : FLAG_ACKNOWLEDGED);
    hydra_put_ticks(a->bytes + 16, d->now, 8);
}

static uint8_t status_of(const struct usbcan_channel_counters *n)
{
    bool off = n->state == USBCAN_OFF || n->state == USBCAN_STOPPED;
    return off ? 1 << 6 : n->state == USBCAN_PASSIVE ? 1 << 5 : 0;
}

void hydra_chip_state(const struct usbcan *d, uint32_t channel, uint8_t *out)
{
    const struct usbcan_channel_counters *n = &d->channels[channel].n;
    hydra_put_ticks(out, d->now, 6);
    out[6] = (uint8_t)n->tx_errors;
    out[7] = (uint8_t)n->rx_errors;
    out[8] = status_of(n);
}

void hydra_state_changed(struct usbcan *d, uint32_t channel, uint32_t old)
{
    struct answer *a = answer_add(d, COMMAND_BYTES);
    (void)old;
    if (!a)
        return;
    hydra_header(a->bytes, CHIP_STATE, AT_CHANNEL + channel, 0, 0);
    hydra_chip_state(d, channel, a->bytes + HEADER_BYTES);
}

static void error_data(const struct usbcan_channel_counters *n, uint8_t *out)
{
    out[0] = status_of(n);
    out[2] = (uint8_t)n->tx_errors;
    out[3] = (uint8_t)n->rx_errors;
}

void hydra_bus_error(struct usbcan *d, uint32_t channel)
{
    const struct channel *c = &d->channels[channel];
    if (!answers_room(d))
        return;
    struct answer *a = answer_add(d, c->extended ? 40 : COMMAND_BYTES);
    struct kept error = {.frame = {.ns = d->now, .channel = channel}};
    if (c->extended) {
        extended_header(a->bytes, RECEIVED_EXTENDED, channel, 0, 40);
        put32(a->bytes + 8, FLAG_ERROR);
        hydra_put_ticks(a->bytes + 24, d->now, 8);
        error_data(&c->n, a->bytes + 32);
    } else {
        plain_frame(&error, a->bytes);
        a->bytes[HEADER_BYTES + 3] = FLAG_ERROR;
        error_data(&c->n, a->bytes + HEADER_BYTES + 16);
    }
}
