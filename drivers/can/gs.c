/*
 * gs_usb adapters (candleLight and the like): settings by vendor's control requests, a frame in
 * each bulk transfer, and what was sent comes back with the number it was given.
 *
 *     0       4           8        9         10      11   12     20
 *     number  identifier  length   channel   flags   -    data   us of its clock, if it has one
 */
#include "adapter.h"

#include <string.h>

enum gs_request { HOST_FORMAT, BIT_TIMING, MODE, BUS_ERRORS, BOUNDS, DEVICE, TIMESTAMP };

enum {
    VENDOR_IN = 0xC1, /* to an interface */
    VENDOR_OUT = 0x41,
    HAS_CLOCK = 1 << 4, /* of an adapter's abilities, and a mode that switches it on */
    LISTENS = 1 << 0,
    ONCE = 1 << 3,
    FRAME_BYTES = 20,
    STAMPED_BYTES = 24,
    READ_BYTES = 64,
    WINDOW = 10, /* no adapter has less room */
    OVERFLOWN = 1 << 0,
    BOUNDS_BYTES = 40,
    DEVICE_BYTES = 12,
};

#define RECEIVED 0xFFFFFFFFu
#define WIDE     (1u << 31) /* in identifiers */
#define REMOTE   (1u << 30)
#define ERROR    (1u << 29)
#define ID_MASK  0x1FFFFFFFu

/* Kinds of errors, bits of an error's identifier, and its second byte. */
#define CONTROLLER 0x004u
#define BUS_OFF    0x040u
#define BUS_ERROR  0x080u
#define RESTARTED  0x100u
enum { WARNS = 0x0C, IS_PASSIVE = 0x30 };

_Static_assert(CAN_READS * READ_BYTES <= CAN_READ_BYTES, "room for what all reads bring");

static int request(struct can_state *s, uint8_t type, enum gs_request which, uint32_t value,
                   void *data, uint32_t bytes)
{
    const struct usb_setup setup = {type, (uint8_t)which, (uint16_t)value, s->interface->number,
                                    (uint16_t)bytes};
    int result = usb_control(s->device, &setup, data, CAN_ANSWER_US);

    if (result == TAKT_ETIMEOUT) {
        s->counters.timeouts++;
    }
    s->counters.refused += result == TAKT_EREFUSED;
    if (result < 0) {
        return result;
    }
    return (uint32_t)result == bytes ? (int)TAKT_OK : (int)TAKT_EREFUSED;
}

static int find_bounds(struct can_state *s)
{
    uint8_t told[BOUNDS_BYTES];
    int result = request(s, VENDOR_IN, BOUNDS, 0, told, sizeof told);

    if (result == TAKT_OK) {
        s->abilities = can_get32(told);
        s->bounds = (struct can_bounds){can_get32(told + 4),  can_get32(told + 8),
                                        can_get32(told + 12), can_get32(told + 16),
                                        can_get32(told + 20), can_get32(told + 24),
                                        can_get32(told + 28), can_get32(told + 32)};
    }
    return result;
}

static int begin(struct can_state *s)
{
    uint8_t format[4], told[DEVICE_BYTES];

    can_put32(format, 0x0000BEEF); /* little-endian */
    int result = request(s, VENDOR_OUT, HOST_FORMAT, 1, format, sizeof format);
    if (result == TAKT_OK) {
        result = request(s, VENDOR_IN, DEVICE, 1, told, sizeof told);
    }
    if (result != TAKT_OK) {
        return result;
    }
    uint32_t channels = told[3] + 1u;
    s->channel_count = (uint8_t)(channels < TAKT_CAN_CHANNELS ? channels : TAKT_CAN_CHANNELS);
    s->window = WINDOW;
    s->ticks_per_us = 1;
    return find_bounds(s);
}

static int set_mode(struct can_state *s, uint8_t channel, bool on, uint8_t mode)
{
    uint8_t data[8];
    uint32_t flags = (s->abilities & HAS_CLOCK) |
                     ((mode & TAKT_CAN_LISTEN_ONLY) != 0 ? LISTENS : 0) |
                     ((mode & TAKT_CAN_ONE_SHOT) != 0 ? ONCE : 0);

    if (on && (flags & ~s->abilities) != 0) {
        return TAKT_EINVAL; /* it cannot */
    }
    can_put32(data, on);
    can_put32(data + 4, on ? flags : 0);
    return request(s, VENDOR_OUT, MODE, channel, data, sizeof data);
}

static int stop(struct can_state *s, uint8_t channel)
{
    return set_mode(s, channel, false, 0);
}

static int start(struct can_state *s, uint8_t channel, uint32_t bit_rate, uint8_t mode)
{
    uint8_t data[20];
    struct can_timing timing;
    int result = can_timing(&s->bounds, bit_rate, &timing);

    if (result == TAKT_OK) {
        result = stop(s, channel);
    }
    if (result != TAKT_OK) {
        return result;
    }
    can_put32(data, 0); /* all before the sample in one segment */
    can_put32(data + 4, timing.before);
    can_put32(data + 8, timing.after);
    can_put32(data + 12, timing.jump);
    can_put32(data + 16, timing.divider);
    result = request(s, VENDOR_OUT, BIT_TIMING, channel, data, sizeof data);
    return result == TAKT_OK ? set_mode(s, channel, true, mode) : result;
}

static void clock_done(struct usb_transfer *transfer)
{
    struct can_state *s = transfer->user;

    if (transfer->result == 4) {
        can_clock_told(s, can_get32(s->clock.data));
    }
}

static int ask_clock(struct can_state *s)
{
    struct can_clock *clock = &s->clock;

    if ((s->abilities & HAS_CLOCK) == 0) {
        return TAKT_EINVAL;
    }
    clock->transfer = (struct usb_transfer){
        .endpoint = &s->device->control, .data = clock->data, .length = 4, .done = clock_done,
        .user = s, .setup = {VENDOR_IN, TIMESTAMP, 0, s->interface->number, 4}};
    return usb_submit(&clock->transfer);
}

/* An error frame tells of the channel's controller, and of the bus. */
static void error(struct can_state *s, uint8_t channel, uint32_t kinds, const uint8_t *data)
{
    const struct can_channel *c = &s->channels[channel];
    enum takt_can_state state = c->state;

    s->channels[channel].counters.bus_errors += (kinds & BUS_ERROR) != 0;
    if ((kinds & BUS_OFF) != 0) {
        state = TAKT_CAN_BUS_OFF;
    } else if ((kinds & RESTARTED) != 0) {
        state = TAKT_CAN_ACTIVE;
    } else if ((kinds & CONTROLLER) != 0) {
        state = (data[1] & IS_PASSIVE) != 0 ? TAKT_CAN_PASSIVE
                : (data[1] & WARNS) != 0    ? TAKT_CAN_WARNING
                                            : TAKT_CAN_ACTIVE;
    }
    can_told(s, channel, state, data[7], data[6]);
}

static void received(struct can_state *s, uint8_t channel, const uint8_t *data, uint32_t bytes)
{
    uint32_t id = can_get32(data + 4);
    struct takt_can_frame frame = {.id = id & ID_MASK, .channel = channel, .length = data[8]};

    if ((id & ERROR) != 0) {
        error(s, channel, id, data + 12);
        return;
    }
    frame.flags = (uint8_t)(((id & WIDE) != 0 ? TAKT_CAN_EXTENDED : 0) |
                            ((id & REMOTE) != 0 ? TAKT_CAN_REMOTE : 0));
    memcpy(frame.data, data + 12, 8);
    can_received(s, &frame, bytes >= STAMPED_BYTES ? can_get32(data + 20) : 0);
}

static bool sound(const struct can_state *s, const uint8_t *data, uint32_t bytes)
{
    return (bytes == FRAME_BYTES || bytes == STAMPED_BYTES) && data[8] <= 8 &&
           data[9] < s->channel_count;
}

/* One message, which may have come in two transfers. */
static void parse(struct can_state *s, const uint8_t *data, uint32_t bytes)
{
    uint32_t whole = (s->abilities & HAS_CLOCK) != 0 ? STAMPED_BYTES : FRAME_BYTES;

    if (s->part_bytes + bytes < whole && bytes > 0) {
        memcpy(s->part + s->part_bytes, data, bytes);
        s->part_bytes += bytes;
        return;
    }
    if (s->part_bytes > 0 && s->part_bytes + bytes == whole) {
        memcpy(s->part + s->part_bytes, data, bytes);
        data = s->part;
        bytes = whole;
    } else if (s->part_bytes > 0) {
        can_malformed(s); /* what was kept was no message */
    }
    s->part_bytes = 0;
    if (bytes == 0) {
        return;
    }
    if (!sound(s, data, bytes)) {
        can_malformed(s);
        return;
    }
    if ((data[10] & OVERFLOWN) != 0) {
        can_overrun(s, data[9]);
    }
    if (can_get32(data) == RECEIVED) {
        received(s, data[9], data, bytes);
    } else {
        can_acknowledged(s, data[9], can_get32(data), true);
    }
}

static uint32_t encode(const struct can_state *s, uint8_t channel,
                       const struct takt_can_frame *frame, uint8_t token, uint8_t *data)
{
    (void)s;
    memset(data, 0, FRAME_BYTES);
    can_put32(data, token);
    can_put32(data + 4, frame->id | ((frame->flags & TAKT_CAN_EXTENDED) != 0 ? WIDE : 0) |
                            ((frame->flags & TAKT_CAN_REMOTE) != 0 ? REMOTE : 0));
    data[8] = frame->length;
    data[9] = channel;
    memcpy(data + 12, frame->data, 8);
    return FRAME_BYTES;
}

/* Those that share the protocol. */
static bool matches(const struct usb_device *device, const struct usb_interface *interface)
{
    static const uint16_t known[][2] = {
        {0x1D50, 0x606F}, /* candleLight */
        {0x1209, 0x2323},
        {0x1CD2, 0x606F}, /* CES CANext FD */
        {0x16D0, 0x10B8}, /* ABE CANdebugger FD */
    };

    for (uint32_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (device->vendor == known[i][0] && device->product == known[i][1]) {
            return interface->number == 0;
        }
    }
    return false;
}

static int attach(struct usb_device *device, struct usb_interface *interface)
{
    return can_attach(&can_gs, device, interface);
}

const struct can_kind can_gs = {
    .name = "gs",
    .read_bytes = READ_BYTES,
    .reads = CAN_READS,
    .write_frames = 1,
    .begin = begin,
    .start = start,
    .stop = stop,
    .parse = parse,
    .encode = encode,
    .ask_clock = ask_clock,
};

static const struct usb_driver driver = {"gs_usb", matches, attach, can_detach};
USB_DRIVER(driver);
