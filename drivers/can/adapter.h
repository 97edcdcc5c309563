/*
 * Between the files of the CAN driver: a kind of adapters and its protocol, and what is common to
 * all of them.
 *
 *   can.c       adapters and devices: coming, going, what uses one
 *   receive.c   the RX thread: reads, and what frames become of
 *   send.c      writes, the TX thread    tokens.c   frames on their way
 *   channel.c   settings, state and counters of channels
 *   clock.c     the adapter's clock and ours
 *   timing.c    bit rates
 *   hydra*.c, gs*.c   the protocols
 */
#ifndef CAN_ADAPTER_H
#define CAN_ADAPTER_H

#include <takt/can.h>
#include <takt/pipe.h>
#include <takt/port.h>
#include <takt/ringbuf.h>
#include <takt/sem.h>
#include <takt/time.h>

#include "usb/host.h"

enum {
    CAN_READ_BYTES = 4096, /* of all reads together */
    CAN_READS = TAKT_CAN_GS_READS,
    CAN_WRITES = 8,
    CAN_WRITE_BYTES = 512,
    CAN_WRITE_FRAMES = CAN_WRITE_BYTES / 32, /* in one of them */
    CAN_WINDOW = 128,                        /* frames of a channel on their way, at most */
    CAN_ANSWER_US = 1000000,
    CAN_KEEP_US = 1000000, /* how often clock and channels are looked after */
    CAN_CLOCKS = 4,
    CAN_COMMAND_BYTES = 32,
};

/* A bit in quanta: 1 + before the sample + after it. */
struct can_timing {
    uint32_t before, after, jump, divider;
};

struct can_bounds {
    uint32_t clock_hz;
    uint32_t before_min, before_max, after_min, after_max, jump_max, divider_min, divider_max;
};

enum can_presence {
    CAN_ABSENT,
    CAN_COMING,  /* its driver asks what it is */
    CAN_PRESENT,
    CAN_LEAVING, /* no thread may begin to use it */
};


/* Frames on their way to the adapter: which token of which channel each has. */
struct can_write {
    struct usb_transfer transfer;
    struct can_state *state;
    bool used;
    bool piped; /* all of them are a pipe's */
    uint8_t frames;
    uint8_t channel;
    uint8_t tokens[CAN_WRITE_FRAMES];
    uint8_t data[CAN_WRITE_BYTES] __attribute__((aligned(8)));
};

struct can_channel {
    /* what the program wants; the thread that opens and closes */
    uint32_t bit_rate; /* 0: closed */
    uint8_t mode;
    /* under the kernel's lock */
    volatile uint8_t state; /* enum takt_can_state */
    uint64_t waiting[CAN_WINDOW / 64]; /* tokens of frames that are not acknowledged */
    uint64_t piped[CAN_WINDOW / 64];   /* of these, those that pipes sent */
    uint8_t queued, next_token;
    uint8_t queued_piped;  /* of those queued */
    uint16_t piped_window; /* of them, at most, while pipes are read */
    uint64_t old[CAN_WINDOW / 64];     /* of these, those looked at, see can_look_after() */
    bool doubt; /* acknowledgements may be lost: bus-off, malformed messages, ... */
    /* the RX thread's */
    bool looks;               /* at `old` */
    uint8_t queued_before;    /* when it began to */
    uint32_t acknowledged, acknowledged_before;
    struct takt_ring ring;
    struct takt_can_frame frames[TAKT_CAN_FRAMES + 1];
    struct takt_sem readable; /* binary */
    struct takt_pipe *in, *out;
    struct takt_can_counters counters;
};

/* The question to the adapter that is open: one at a time. */
struct can_question {
    struct takt_sem turn; /* binary: to ask */
    struct takt_sem answered;
    volatile bool open;
    bool refused;
    uint8_t number;    /* of the command that answers */
    uint8_t address;   /* in the adapter, and ours: what the protocol makes of them */
    uint16_t transid;
    struct usb_transfer transfer;
    uint8_t data[CAN_COMMAND_BYTES] __attribute__((aligned(8)));
    uint8_t answer[CAN_COMMAND_BYTES];
};

struct can_clock {
    takt_time_t looked; /* last, whether it is time to ask */
    takt_time_t asked; /* when the reading on its way was asked for */
    bool waits;
    uint8_t number; /* of the reading that was asked for last */
    uint8_t count, next;
    takt_time_t offsets[CAN_CLOCKS]; /* ours minus the adapter's, at least */
    takt_time_t offset;
    struct usb_transfer transfer;
    uint8_t data[CAN_COMMAND_BYTES] __attribute__((aligned(8)));
};

struct can_state {
    struct takt_can_adapter *adapter;
    const struct can_kind *kind;
    /* under the kernel's lock */
    volatile uint8_t presence; /* enum can_presence */
    uint8_t users;             /* threads in the middle of something with the device */
    uint16_t direct;           /* frames on their way that no pipe sent */
    bool is_read_by_pipes;
    /* fixed while it is present */
    struct usb_device *device;
    struct usb_interface *interface;
    struct usb_endpoint *in, *out;
    uint8_t channel_count;
    uint16_t window;     /* frames of a channel on their way */
    uint16_t port;       /* where it was last, 0: nowhere */
    uint32_t ticks_per_us;
    bool extended;       /* the protocol's longer messages */
    uint8_t addresses[TAKT_CAN_CHANNELS + 1]; /* hydra: of channels, and of the system */
    struct can_bounds bounds;                 /* gs: of bit timing */
    uint32_t abilities;                       /* gs */
    uint16_t transid;                         /* hydra: of the last question */
    uint8_t part[128];                        /* of a message, whose rest is to come */
    uint32_t part_bytes;
    struct takt_sem wake;      /* RX thread; binary */
    struct takt_sem wake_send; /* TX thread; binary */
    struct takt_sem setting;   /* binary: to open and close channels */
    struct takt_sem left;      /* the RX thread has nothing more to do with the device */
    bool read_halted, write_halted;
    uint8_t read_oldest, reads_asked; /* on their way, or not looked at */
    struct can_channel channels[TAKT_CAN_CHANNELS];
    struct can_question question;
    struct can_clock clock;
    struct takt_can_adapter_counters counters;
    struct usb_transfer reads[CAN_READS];
    struct can_write writes[CAN_WRITES];
    uint8_t read_data[CAN_READ_BYTES] __attribute__((aligned(64)));
};

/* What kinds differ in. All functions: thread; those that ask may block for an answer. */
struct can_kind {
    const char *name;
    uint16_t read_bytes;  /* of a read */
    uint8_t reads;        /* on their way at once, CAN_READS at most */
    uint8_t write_frames; /* in a write, CAN_WRITE_FRAMES at most */
    /* A device has come: asks what it is, fills in what is fixed. TAKT_OK, or what went wrong. */
    int (*begin)(struct can_state *s);
    /* Sets the bit rate and mode of a channel and puts it on the bus; takes it off. */
    int (*start)(struct can_state *s, uint8_t channel, uint32_t bit_rate, uint8_t mode);
    int (*stop)(struct can_state *s, uint8_t channel);
    /* What a read brought. RX thread; never blocks. */
    void (*parse)(struct can_state *s, const uint8_t *data, uint32_t bytes);
    /* Puts a frame into a write: bytes it takes. Never blocks. */
    uint32_t (*encode)(const struct can_state *s, uint8_t channel,
                       const struct takt_can_frame *frame, uint8_t token, uint8_t *data);
    /* Asks for the adapter's clock; the answer goes to can_clock_told(). Never blocks. */
    int (*ask_clock)(struct can_state *s);
};

/* can.c ------------------------------------------------------------------------------------ */

/* The adapter's state, in its room. Thread. */
struct can_state *can_state_of(struct takt_can_adapter *adapter);

/* USB_DRIVER's. */
int can_attach(const struct can_kind *kind, struct usb_device *device,
               struct usb_interface *interface);
void can_detach(struct usb_device *device, struct usb_interface *interface);

/* Between these the device does not go. TAKT_EGONE: it is not there, or going. Thread, O(1). */
int can_enter(struct can_state *s);
void can_leave(struct can_state *s);

/* RX thread: has the device to be left? Then all that is on its way is taken back. */
void can_leave_device(struct can_state *s);

/* Sends the question's 32 bytes, and waits for `number`. Thread, may block. */
int can_ask(struct can_state *s, uint8_t number, uint8_t address, uint16_t transid);

/* The RX thread has found an answer of up to 32 bytes; false: none asked. */
bool can_answer(struct can_state *s, uint8_t number, uint8_t address, uint16_t transid,
                const uint8_t *data, uint32_t bytes);

/* The adapter refuses what was asked with this number. RX thread. */
void can_refused(struct can_state *s, uint16_t transid);

/* receive.c -------------------------------------------------------------------------------- */

/* A frame has come on a channel; `us`: the adapter's clock at its end. RX thread. */
void can_received(struct can_state *s, struct takt_can_frame *frame, uint32_t us);

/* Where a read ends. */
void can_read_done(struct usb_transfer *read);

/* A transfer in either direction will be tried again. Thread or bottom half. */
void can_retried(struct can_state *s);

/* The calling thread's period, us. */
uint32_t can_own_period(void);

/* The device is gone, no read is on its way: looks at the last ones. */
void can_end_reads(struct can_state *s);

/* The adapter says, by a message of this channel, that it had to drop some. RX thread. */
void can_overrun(struct can_state *s, uint8_t channel);

/* Messages are lost, or may be, and of which channel is not known: counted at all pipes that are
 * read. RX thread. */
void can_lost(struct can_state *s);

/* A message makes no sense; what it was is lost. RX thread. */
void can_malformed(struct can_state *s);

/* tokens.c --------------------------------------------------------------------------------- */

/* A pipe out of the channel carries it from now on: what may be on its way. */
void can_set_window(struct can_state *s, uint8_t channel, const struct takt_pipe *pipe);

/* A token of a channel for a frame, a pipe's or not; TAKT_EAGAIN: the adapter's queue is full. */
int can_take_token(struct can_state *s, struct can_channel *c, bool piped);

/* Does a frame wait with this token? Then no longer; *piped: whether it was a pipe's. */
bool can_free_token(struct can_state *s, struct can_channel *c, uint32_t token, bool *piped);

/* Frames that were taken, of which some are a pipe's, are lost. */
void can_unsent(struct can_channel *c, uint32_t frames, uint32_t piped);

/* The frame with this token is on the bus (or was given up). RX thread. */
void can_acknowledged(struct can_state *s, uint8_t channel, uint32_t token, bool sent);

/* Frames of the channel that are on their way, of this set, will not be acknowledged. */
void can_give_up(struct can_state *s, uint8_t channel, const uint64_t *set);
extern const uint64_t can_all[CAN_WINDOW / 64];

/* send.c ----------------------------------------------------------------------------------- */

/* A transfer to the adapter ended with an error. Where transfers end, or thread. */
void can_write_failed(struct can_state *s, int result);

/* RX thread: the way to the adapter is made free again if an error has stopped it. */
void can_mend_writes(struct can_state *s);

/* channel.c -------------------------------------------------------------------------------- */

/* What the adapter says of the channel's controller. RX thread. */
void can_told(struct can_state *s, uint8_t channel, enum takt_can_state state, uint8_t rx_errors,
              uint8_t tx_errors);

/* Once a second: frames that wait for acknowledgements which will not come any more. RX thread. */
void can_look_after(struct can_state *s);

/* Opens again what was open before the device went. */
int can_reopen(struct can_state *s);

/* clock.c ---------------------------------------------------------------------------------- */

/* The answer: `us` of the adapter's clock. RX thread, or where a transfer ends. */
void can_clock_told(struct can_state *s, uint32_t us);

/* The device has come: asks some times and waits for the answers. Thread, may block. */
void can_clock_begin(struct can_state *s);

/* What is to be done once a second. RX thread. */
void can_keep(struct can_state *s);

/* On our clock: an instant on the adapter's, not after `now`. */
takt_time_t can_clock_ours(const struct can_state *s, uint32_t us, takt_time_t now);

/* timing.c --------------------------------------------------------------------------------- */

/* The timing of exactly this bit rate whose sample lies nearest to 87.5 % (CiA 301). TAKT_EINVAL:
 * there is none. Either context. O(dividers). */
int can_timing(const struct can_bounds *bounds, uint32_t bit_rate, struct can_timing *timing);

/* Little-endian. */
static inline uint32_t can_get16(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t can_get32(const uint8_t *p)
{
    return can_get16(p) | can_get16(p + 2) << 16;
}

static inline void can_put16(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

static inline void can_put32(uint8_t *p, uint32_t value)
{
    can_put16(p, value);
    can_put16(p + 2, value >> 16);
}

#endif
