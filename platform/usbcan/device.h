/* What a USB-CAN adapter consists of. A bus brings frames, the buffer keeps them, a kind (hydra,
 * gs) says how they look to the host, USB carries them there. */
#ifndef TAKT_USBCAN_DEVICE_H
#define TAKT_USBCAN_DEVICE_H

#include <stdbool.h>

#include "usbcan.h"

#define NEVER UINT64_MAX

enum {
    ANSWER_BYTES = 48,
    ANSWERS = 1024,
    ANSWERS_SPARE = 64, /* for what the device tells unasked */
    FRAME_BYTES = 20,   /* of the shortest message with a frame */
    STAGE_BYTES = 4096,
};

/* What the device tells the host beside received frames; never lost, for commands wait for room. */
struct answer {
    uint64_t due;
    uint32_t length;
    uint8_t bytes[ANSWER_BYTES];
};

struct answers {
    struct answer ring[ANSWERS];
    uint32_t head, count;
};

/* Received frames in order of time, the oldest at `head`. */
struct kept {
    struct usbcan_frame frame;
    uint16_t bytes; /* it takes of the buffer */
    bool gap;       /* frames before it were lost */
};

struct buffer {
    struct kept ring[USBCAN_BUFFER / FRAME_BYTES];
    uint32_t head, count, bytes;
    bool gap; /* the next one stored follows a loss */
};

struct transmit {
    struct usbcan_frame frame;
    uint32_t token; /* by which the host knows it again */
};

struct channel {
    struct usbcan_channel_counters n;
    uint32_t sequence; /* of the traffic's next frame */
    struct usbcan_traffic traffic;
    uint64_t arrives; /* its next frame, or NEVER */

    struct usbcan_frame injected[USBCAN_INJECTED];
    uint32_t first, injections;

    struct transmit queue[USBCAN_QUEUE];
    uint32_t head;       /* n.queued of them */
    uint64_t sent_at;    /* when the head's frame ends, or NEVER */
    uint64_t last_sent;  /* end of the frame before */
    uint64_t drain[2];   /* distances the others allow */
    uint64_t drain_seed;
    uint64_t recovers;   /* from bus-off, or NEVER */
    uint32_t damages;    /* frames yet to be damaged, by a fault */
    bool listens, once;  /* sends nothing; sends without trying again */
    bool extended;       /* hydra: it is to be told by extended commands; gs: with time stamps */
    uint8_t parameters[8]; /* hydra: as the host set them */
};

struct active {
    uint32_t left;
    uint64_t argument;
};

struct usbcan {
    struct usbcan_settings settings;
    const struct kind *kind;
    uint64_t now;
    struct usbcan_counters n;
    struct channel channels[USBCAN_CHANNELS];
    struct buffer buffer;
    struct answers answers;

    bool halted[2]; /* endpoints OUT, IN */
    uint8_t stage[STAGE_BYTES]; /* commands not yet done, for want of room */
    uint32_t staged, stage_at;
    uint8_t rest[STAGE_BYTES]; /* what a short transfer held back */
    uint32_t rests, rest_at;

    struct usbcan_fault plan[USBCAN_FAULTS]; /* by time */
    uint32_t plans;
    struct active faults[USBCAN_FAULT_UNPLUG + 1];
    uint64_t garbage;

    void (*seen)(void *, const struct usbcan_frame *);
    void *context;
};

/* What differs between the kinds. */
struct kind {
    const uint8_t *device_descriptor; /* 18 bytes */
    const uint8_t *configuration;
    uint32_t configuration_bytes;
    const char *names[2]; /* maker, product */
    uint32_t in, out;     /* endpoints */
    bool overwrites;      /* the oldest frame; or drops the newest */
    bool packs;           /* several messages in a transfer */
    uint32_t clock_hz; /* of the CAN controller */

    int (*request)(struct usbcan *d, const uint8_t *setup, uint8_t *data, uint32_t size);
    /* Bytes of the command at the front, done; 0: it has to wait. */
    uint32_t (*command)(struct usbcan *d, const uint8_t *bytes, uint32_t size);
    uint32_t (*frame_bytes)(const struct usbcan *d, uint32_t channel);
    uint32_t (*frame)(const struct usbcan *d, const struct kept *kept, uint8_t *out);
    void (*sent)(struct usbcan *d, uint32_t channel, const struct transmit *t, bool failed);
    void (*state_changed)(struct usbcan *d, uint32_t channel, uint32_t old);
    void (*bus_error)(struct usbcan *d, uint32_t channel);
};

extern const struct kind hydra_kind, gs_kind;

/* buffer.c */
void buffer_store(struct usbcan *d, const struct usbcan_frame *frame);
const struct kept *buffer_oldest(const struct usbcan *d);
void buffer_drop(struct usbcan *d); /* the oldest */
void buffer_flush(struct usbcan *d);
bool answers_room(const struct usbcan *d);
struct answer *answer_add(struct usbcan *d, uint32_t length); /* zeroed, due now; NULL: no room */
struct answer *answer_reply(struct usbcan *d, uint32_t length); /* to a command, with its faults */
const struct answer *answer_oldest(const struct usbcan *d);
void answer_drop(struct usbcan *d);

/* bus.c */
void bus_init(struct channel *c);
uint64_t bus_next(const struct channel *c);
void bus_act(struct usbcan *d, uint32_t channel); /* does what bus_next() told of */
void bus_start(struct usbcan *d, uint32_t channel);
void bus_stop(struct usbcan *d, uint32_t channel);
void bus_off(struct usbcan *d, uint32_t channel);
void bus_set(struct usbcan *d, uint32_t channel, uint32_t bitrate);
bool bus_listening(const struct channel *c);

/* send.c */
bool send_room(const struct usbcan *d, uint32_t channel);
void send_queue(struct usbcan *d, const struct usbcan_frame *frame, uint32_t token);
void send_start(struct usbcan *d, uint32_t channel);
void send_done(struct usbcan *d, uint32_t channel);
void send_flush(struct usbcan *d, uint32_t channel);
uint32_t frame_bits(const struct usbcan_frame *frame); /* on the bus, stuffing and gap included */

/* errors.c */
bool errors_damage(struct usbcan *d, uint32_t channel); /* is this frame to be damaged? */
void errors_good(struct usbcan *d, uint32_t channel, bool sent);
void errors_bad(struct usbcan *d, uint32_t channel, bool sent);

/* faults.c */
void fault_next_act(struct usbcan *d);
bool fault_takes(struct usbcan *d, uint32_t kind, uint64_t *argument); /* one of its count */
void faults_clear(struct usbcan *d);

/* commands.c */
void commands_run(struct usbcan *d);

uint64_t draw(uint64_t *seed, uint64_t low, uint64_t high);

#endif
