/*
 * Takt platform: USB-CAN adapters as a C library, between a USB host and five CAN buses.
 *
 * Time is nanoseconds since power-on, an argument of every call; no clock is read and nothing is
 * allocated, so equal calls give equal answers wherever the core runs: behind a usbredir socket
 * (tools/takt/can/usb_server.py), inside QEMU (lab/pipes/qemu) or in a unit test. Time never goes
 * back: an earlier `now` counts as the last one.
 *
 * Transfers are whole ones, not packets: what the host asked for at once. One that gets USBCAN_NAK
 * waits: ask again at usbcan_next().
 */
#ifndef TAKT_USBCAN_H
#define TAKT_USBCAN_H

#include <stdint.h>

struct usbcan;

enum usbcan_kind {
    USBCAN_HYDRA = 0, /* Kvaser USBcan Pro 5xHS: 0bfd:0105, high speed, IN 0x82, OUT 0x02 */
    USBCAN_GS = 1,    /* gs_usb (candleLight): 1d50:606f, full speed, IN 0x81, OUT 0x02 */
};

enum usbcan_limit {
    USBCAN_CHANNELS = 5,
    USBCAN_QUEUE = 128,    /* frames waiting to be sent, per channel */
    USBCAN_BUFFER = 65536, /* the largest buffer, bytes */
    USBCAN_FAULTS = 16,    /* planned at once */
    USBCAN_INJECTED = 64,  /* frames from outside waiting for their time, per channel */
};

/* Results below 0; above, bytes. */
enum usbcan_result {
    USBCAN_NAK = -1,    /* nothing to give, no room to take: ask again */
    USBCAN_STALL = -2,  /* the endpoint is halted, or the request is unknown */
    USBCAN_ERROR = -3,  /* three transactions in a row were damaged */
    USBCAN_BABBLE = -4, /* the device sent more than was asked for */
    USBCAN_GONE = -5,   /* unplugged */
    USBCAN_BAD = -6,    /* no such kind, channel, fault; a setting out of its bounds */
};

enum usbcan_frame_flag {
    USBCAN_EXTENDED = 1, /* 29-bit identifier */
    USBCAN_REMOTE = 2,
    USBCAN_SENT = 4, /* by the USB host, not by others on the bus */
};

struct usbcan_frame {
    uint64_t ns; /* its end on the bus */
    uint32_t channel;
    uint32_t id;
    uint32_t flags;
    uint32_t length; /* bytes, 0-8 */
    uint8_t data[8];
};

/*
 * Frames that others send on a channel's bus: the first ends at `start_ns`, their distances are
 * equal or drawn uniformly from [shortest_ns, longest_ns] by `seed`. Data: bytes 0-3 a sequence
 * number from 0 on, bytes 4-7 the frame's end in microseconds, both little-endian. A frame that a
 * stopped channel does not hear has its number all the same.
 */
struct usbcan_traffic {
    uint64_t start_ns;
    uint64_t shortest_ns; /* 1000 at least; 0: no traffic */
    uint64_t longest_ns;
    uint64_t seed;
    uint64_t count; /* frames; 0: no end */
    uint32_t id;
    uint32_t flags;
    uint32_t length;  /* bytes, 0-8 */
    uint32_t bitrate; /* of the bus; 0: whatever the host sets. With another one: bus errors */
};

struct usbcan_settings {
    uint32_t kind;          /* enum usbcan_kind */
    uint32_t channels;      /* 1-5 */
    uint32_t message_bytes; /* hydra: an extended message with a received frame: 40-128, by 4s */
    uint32_t buffer_bytes;  /* for received frames; full, hydra drops the oldest, gs the newest */
    uint32_t serial;
    uint32_t reserved;
    uint64_t reply_ns;    /* from a command to its answer */
    uint64_t recovery_ns; /* from bus-off back to the bus; 0: 128 * 11 bits */
};

/* What is put wrong, from a time on. count 0: until it is plugged in anew. */
enum usbcan_fault_kind {
    USBCAN_FAULT_STALL = 0,     /* the endpoint `argument` is halted until the host clears it */
    USBCAN_FAULT_SHORT = 1,     /* the next `count` IN transfers end after `argument` bytes */
    USBCAN_FAULT_GARBAGE = 2,   /* the next `count` IN transfers are random, by seed `argument` */
    USBCAN_FAULT_LATE = 3,      /* the next `count` answers come `argument` ns later */
    USBCAN_FAULT_MUTE = 4,      /* the next `count` commands get no answer */
    USBCAN_FAULT_BABBLE = 5,    /* the next `count` IN transfers babble; what they held is lost */
    USBCAN_FAULT_ERROR = 6,     /* the next `count` transfers of any endpoint but 0 are damaged */
    USBCAN_FAULT_BUS_OFF = 7,   /* channel `argument` goes bus-off */
    USBCAN_FAULT_BUS_ERROR = 8, /* the next `count` frames on channel `argument` are damaged */
    USBCAN_FAULT_UNPLUG = 9,    /* pulled out: all transfers fail until usbcan_plug() */
};

struct usbcan_fault {
    uint64_t ns;
    uint32_t kind;
    uint32_t count;
    uint64_t argument;
};

enum usbcan_bus_state {
    USBCAN_STOPPED = 0,
    USBCAN_ACTIVE = 1,
    USBCAN_WARNING = 2, /* an error counter has reached 96 */
    USBCAN_PASSIVE = 3, /* 128 */
    USBCAN_OFF = 4,
};

/* The truth about one channel, since power-on. on_bus = heard + unheard + damaged;
 * heard = stored + dropped; stored = delivered + overwritten + flushed + what waits now. */
struct usbcan_channel_counters {
    uint64_t on_bus;      /* frames that others sent */
    uint64_t unheard;     /* the channel was stopped, bus-off or unplugged */
    uint64_t damaged;     /* bus errors */
    uint64_t heard;       /* received by the channel */
    uint64_t stored;      /* put into the buffer */
    uint64_t dropped;     /* found the buffer full (gs) */
    uint64_t overwritten; /* lost to newer ones (hydra) */
    uint64_t flushed;     /* thrown away by a reset or an unplug */
    uint64_t delivered;   /* read by the host */
    uint64_t asked;       /* frames that the host gave to be sent */
    uint64_t sent;        /* on the bus */
    uint64_t failed;      /* attempts to send that ended in a bus error */
    uint64_t unsent;      /* thrown away: flushed, stopped, bus-off */
    uint64_t bus_offs;
    uint64_t oldest_ns; /* the longest that a delivered frame waited in the buffer */
    uint32_t state;     /* enum usbcan_bus_state */
    uint32_t bitrate;   /* as set by the host; 0: not set */
    uint32_t rx_errors; /* error counters of the controller */
    uint32_t tx_errors;
    uint32_t queued; /* frames waiting to be sent */
    uint32_t reserved;
};

struct usbcan_counters {
    uint64_t overruns; /* gaps: runs of overwritten or dropped frames with none delivered between */
    uint64_t flagged;  /* of these, told to the host by an overrun flag */
    uint64_t in_transfers;
    uint64_t in_bytes;
    uint64_t out_transfers;
    uint64_t out_bytes;
    uint64_t commands;  /* hydra commands, gs requests */
    uint64_t malformed; /* commands that make no sense: wrong length, place, number */
    uint64_t resets;    /* by the bus */
    uint32_t held_bytes; /* in the buffer now */
    uint32_t peak_bytes; /* the most so far */
    uint32_t configured;
    uint32_t plugged;
};

#pragma GCC visibility push(default)

/* Bytes of a device, for its owner to provide, aligned to 8. */
uint32_t usbcan_size(void);

/* Of a kind: five channels, 64-byte messages, 4096 bytes; gs: one channel, room for 64 frames. */
int usbcan_defaults(struct usbcan_settings *settings, uint32_t kind);

/* Power-on: plugged in, buses silent. 0 or USBCAN_BAD. */
int usbcan_init(struct usbcan *device, const struct usbcan_settings *settings);

/* Replaces the traffic on a channel's bus; counts and numbers go on. 0 or USBCAN_BAD. */
int usbcan_traffic(struct usbcan *device, uint32_t channel, const struct usbcan_traffic *traffic);

/* One more frame from another on the bus, that ends at frame->ns (in order; not before now). */
int usbcan_inject(struct usbcan *device, const struct usbcan_frame *frame);

/* The others take a frame of the host's only so often: distances drawn from [shortest, longest]; 0:
 * as the bus allows. A frame takes its bits, stuffed ones included, at the set rate. */
int usbcan_drain(struct usbcan *device, uint32_t channel, uint64_t shortest_ns, uint64_t longest_ns,
                 uint64_t seed);

/* A fault from fault->ns on. USBCAN_BAD: unknown, or too many planned. */
int usbcan_fault(struct usbcan *device, const struct usbcan_fault *fault);

/* Pulls the device out (0) or puts it in (1): as after power-on but for its counters. */
void usbcan_plug(struct usbcan *device, uint64_t now, uint32_t plugged);

/* The bus resets the device: unconfigured, channels stopped, buffers empty. */
void usbcan_reset(struct usbcan *device, uint64_t now);

/* A control transfer: `setup` 8 bytes, `data` those to the device or room for its answer. */
int usbcan_control(struct usbcan *device, uint64_t now, const uint8_t *setup, uint8_t *data,
                   uint32_t size);

/* A bulk transfer; `endpoint` with its direction bit. Parts of messages come by fault only. */
int usbcan_in(struct usbcan *device, uint64_t now, uint32_t endpoint, uint8_t *data, uint32_t size);
int usbcan_out(struct usbcan *device, uint64_t now, uint32_t endpoint, const uint8_t *data,
               uint32_t size);

/* Does everything up to `now`. */
void usbcan_advance(struct usbcan *device, uint64_t now);
/* When something happens by itself next: a frame, an answer, a fault. UINT64_MAX: never. */
uint64_t usbcan_next(const struct usbcan *device);

/* Calls `seen` at every undamaged frame on any bus, the host's included, in order of time. */
void usbcan_watch(struct usbcan *device, void (*seen)(void *, const struct usbcan_frame *),
                  void *context);

void usbcan_counters(const struct usbcan *device, struct usbcan_counters *counters);
int usbcan_channel(const struct usbcan *device, uint32_t channel,
                   struct usbcan_channel_counters *counters);

#pragma GCC visibility pop

#endif
