/* A gs_usb adapter as candleLight firmware makes it: settings by control requests, one frame per
 * bulk transfer, what was sent comes back with the number it was given. */
#include <string.h>

#include "bytes.h"
#include "device.h"

enum gs_request {
    HOST_FORMAT = 0,
    BIT_TIMING = 1,
    MODE = 2,
    BUS_ERRORS = 3,
    BIT_TIMING_BOUNDS = 4,
    DEVICE_CONFIG = 5,
    TIMESTAMP = 6,
    IDENTIFY = 7,
};

enum { LISTEN_ONLY = 1 << 0, SEND_ONCE = 1 << 3, TIMESTAMPS = 1 << 4, CAN_IDENTIFY = 1 << 5 };
enum { WIDE = 1u << 31, REMOTE = 1u << 30, ERROR = 1u << 29 }; /* in an identifier */
enum { OVERFLOWN = 1 }; /* in a frame's flags */
enum { PLAIN_BYTES = 20, STAMPED_BYTES = 24, RECEIVED = -1 };

static const uint8_t device_descriptor[18] = {
    18, 1, 0x00, 0x02, 0, 0, 0, 64, 0x50, 0x1d, 0x6f, 0x60, 0x00, 0x00, 1, 2, 3, 1,
};

static const uint8_t configuration[9 + 9 + 2 * 7] = {
    9, 2, sizeof configuration, 0, 1, 1, 0, 0x80, 75, /* bus-powered, 150 mA */
    9, 4, 0, 0, 2, 0xff, 0xff, 0xff, 0,
    7, 5, 0x81, 2, 64, 0, 0, /* bulk, 64 bytes */
    7, 5, 0x02, 2, 64, 0, 0,
};

static int bit_timing(struct usbcan *d, uint32_t channel, const uint8_t *data)
{
    uint64_t divider = get32(data + 16);
    uint64_t quanta = 1ull + get32(data) + get32(data + 4) + get32(data + 8);
    if (divider == 0 || divider > 1024 || quanta < 4 || quanta > 25)
        return USBCAN_STALL;
    bus_set(d, channel, (uint32_t)(d->kind->clock_hz / (divider * quanta)));
    return 0;
}

static int set_mode(struct usbcan *d, uint32_t channel, const uint8_t *data)
{
    struct channel *c = &d->channels[channel];
    uint32_t mode = get32(data), flags = get32(data + 4);
    if (mode > 1 || (flags & ~(uint32_t)(LISTEN_ONLY | SEND_ONCE | TIMESTAMPS)) != 0)
        return USBCAN_STALL;
    bus_stop(d, channel);
    if (mode == 0)
        return 0;
    if (c->n.bitrate == 0)
        return USBCAN_STALL;
    c->listens = (flags & LISTEN_ONLY) != 0;
    c->once = (flags & SEND_ONCE) != 0;
    c->extended = (flags & TIMESTAMPS) != 0;
    bus_start(d, channel);
    return 0;
}

static int bounds(const struct usbcan *d, uint8_t *out)
{
    const uint32_t values[10] = {LISTEN_ONLY | SEND_ONCE | TIMESTAMPS | CAN_IDENTIFY,
                                 d->kind->clock_hz, 1, 16, 1, 8, 4, 1, 1024, 1};
    for (uint32_t i = 0; i < 10; i++)
        put32(out + 4 * i, values[i]);
    return 40;
}

static int config(const struct usbcan *d, uint8_t *out)
{
    memset(out, 0, 12);
    out[3] = (uint8_t)(d->settings.channels - 1);
    put32(out + 4, 2);
    put32(out + 8, 1);
    return 12;
}

static uint32_t request_bytes(uint32_t request)
{
    static const uint8_t bytes[] = {4, 20, 8, 4, 40, 12, 4, 4};
    return request < sizeof bytes ? bytes[request] : UINT32_MAX;
}

static int request(struct usbcan *d, const uint8_t *setup, uint8_t *data, uint32_t size)
{
    uint32_t channel = get16(setup + 2);
    bool to_channel = setup[1] != HOST_FORMAT && setup[1] != DEVICE_CONFIG;
    if ((setup[0] & 0x7f) != 0x41 || size < request_bytes(setup[1]) ||
        (to_channel && channel >= d->settings.channels)) {
        d->n.malformed++;
        return USBCAN_STALL;
    }
    d->n.commands++;
    switch (setup[0] << 8 | setup[1]) {
    case 0x4100 | HOST_FORMAT: /* little-endian whatever is asked, as its makers ship it */
    case 0x4100 | BUS_ERRORS:
    case 0x4100 | IDENTIFY:
        return 0;
    case 0x4100 | BIT_TIMING:
        return bit_timing(d, channel, data);
    case 0x4100 | MODE:
        return set_mode(d, channel, data);
    case 0xc100 | BIT_TIMING_BOUNDS:
        return bounds(d, data);
    case 0xc100 | DEVICE_CONFIG:
        return config(d, data);
    case 0xc100 | TIMESTAMP:
        put32(data, (uint32_t)(d->now / 1000));
        return 4;
    }
    d->n.malformed++;
    return USBCAN_STALL;
}

/* The host's frame; a transfer may be padded behind it. */
static uint32_t command(struct usbcan *d, const uint8_t *bytes, uint32_t size)
{
    uint32_t channel = size >= PLAIN_BYTES ? bytes[9] : UINT32_MAX;
    if (channel >= d->settings.channels || bytes[8] > 8 ||
        d->channels[channel].n.state == USBCAN_STOPPED || d->channels[channel].listens) {
        d->n.malformed++;
        return size;
    }
    if (!send_room(d, channel) || !answers_room(d))
        return 0;
    uint32_t id = get32(bytes + 4);
    struct usbcan_frame frame = {.channel = channel, .flags = USBCAN_SENT, .length = bytes[8]};
    frame.id = id & ((id & WIDE) != 0 ? 0x1fffffffu : 0x7ffu);
    frame.flags |= (id & WIDE) != 0 ? USBCAN_EXTENDED : 0;
    frame.flags |= (id & REMOTE) != 0 ? USBCAN_REMOTE : 0;
    memcpy(frame.data, bytes + 12, 8);
    send_queue(d, &frame, get32(bytes));
    d->n.commands++;
    return size;
}

static uint32_t frame_bytes(const struct usbcan *d, uint32_t channel)
{
    return d->channels[channel].extended ? STAMPED_BYTES : PLAIN_BYTES;
}

static void write_frame(const struct usbcan_frame *f, uint32_t echo, uint32_t flags, bool stamped,
                        uint8_t *out)
{
    put32(out, echo);
    put32(out + 4, f->id | ((f->flags & USBCAN_EXTENDED) != 0 ? WIDE : 0) |
                       ((f->flags & USBCAN_REMOTE) != 0 ? REMOTE : 0));
    out[8] = (uint8_t)f->length;
    out[9] = (uint8_t)f->channel;
    out[10] = (uint8_t)flags;
    memcpy(out + 12, f->data, 8);
    if (stamped)
        put32(out + PLAIN_BYTES, (uint32_t)(f->ns / 1000));
}

static uint32_t frame(const struct usbcan *d, const struct kept *kept, uint8_t *out)
{
    bool stamped = kept->bytes == STAMPED_BYTES;
    (void)d;
    write_frame(&kept->frame, (uint32_t)RECEIVED, kept->gap ? OVERFLOWN : 0, stamped, out);
    return kept->bytes;
}

static void sent(struct usbcan *d, uint32_t channel, const struct transmit *t, bool failed)
{
    bool stamped = d->channels[channel].extended;
    struct answer *a = answer_add(d, frame_bytes(d, channel));
    (void)failed; /* a failed one has its echo all the same */
    if (a)
        write_frame(&t->frame, t->token, 0, stamped, a->bytes);
}

/* An error frame; its class: 4 controller, 64 bus-off, 128 bus error, 256 back on the bus. */
static void tell(struct usbcan *d, uint32_t channel, uint32_t class, uint8_t controller)
{
    const struct channel *c = &d->channels[channel];
    struct answer *a = answers_room(d) ? answer_add(d, frame_bytes(d, channel)) : NULL;
    if (!a)
        return;
    struct usbcan_frame f = {.ns = d->now, .channel = channel, .length = 8};
    f.data[1] = controller;
    f.data[6] = (uint8_t)c->n.tx_errors;
    f.data[7] = (uint8_t)c->n.rx_errors;
    write_frame(&f, (uint32_t)RECEIVED, 0, c->extended, a->bytes);
    put32(a->bytes + 4, ERROR | class);
}

static void state_changed(struct usbcan *d, uint32_t channel, uint32_t old)
{
    const struct usbcan_channel_counters *n = &d->channels[channel].n;
    bool sending = n->tx_errors >= n->rx_errors;
    if (n->state == USBCAN_OFF)
        tell(d, channel, 64, 0);
    else if (old == USBCAN_OFF)
        tell(d, channel, 256, 0);
    else if (n->state == USBCAN_PASSIVE)
        tell(d, channel, 4, sending ? 0x20 : 0x10);
    else if (n->state == USBCAN_WARNING)
        tell(d, channel, 4, sending ? 0x08 : 0x04);
    else
        tell(d, channel, 4, 0x40);
}

static void bus_error(struct usbcan *d, uint32_t channel)
{
    tell(d, channel, 128, 0);
}

const struct kind gs_kind = {
    .device_descriptor = device_descriptor,
    .configuration = configuration,
    .configuration_bytes = sizeof configuration,
    .names = {"Takt", "gs_usb adapter"},
    .in = 0x81,
    .out = 0x02,
    .clock_hz = 48000000,
    .request = request,
    .command = command,
    .frame_bytes = frame_bytes,
    .frame = frame,
    .sent = sent,
    .state_changed = state_changed,
    .bus_error = bus_error,
};
