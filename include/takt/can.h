/*
 * CAN by USB adapters: channels that are read and written, or carried by pipes (takt/pipe.h).
 *
 *   adapter's buffer --> bottom half --> RX thread: parses, sorts --> channel's buffer --> read
 *                                        (Main VCPU)            \---> pipe of the channel
 *   write, or the TX thread for pipes --> USB --> adapter's queue --> bus --> acknowledged
 *
 * (Golchin, Cheng and West 2018, Figure 4.) Those that are plugged in are given to the adapters
 * of a program in the order in which a file defines these, and the same again when they come back.
 * Settings of channels last: they are applied whenever the device is there.
 *
 *     TAKT_CAN_ADAPTER(kvaser, hydra, 2000, 8000);
 *     ...
 *     takt_can_open(&kvaser, 0, 500000, 0);
 *
 * Nothing that is lost anywhere on the way goes uncounted: struct takt_can_counters, those of the
 * adapter, and those of pipes (struct takt_pipe_stats: lost, overflow). What belongs to no frame
 * that is known was, all pipes that are read count.
 */
#ifndef TAKT_CAN_H
#define TAKT_CAN_H

#include <takt/endpoint.h>
#include <takt/vcpu.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAKT_CAN_CHANNELS 5u /* of an adapter, at most */

/* Frames a channel's own buffer holds. */
#ifndef TAKT_CAN_FRAMES
#define TAKT_CAN_FRAMES 256
#endif

enum takt_can_flag {
    TAKT_CAN_EXTENDED = 1, /* 29-bit identifier */
    TAKT_CAN_REMOTE = 2,   /* asks for data; has a length, but none */
};

/* A packet of pipes, too. */
struct takt_can_frame {
    uint32_t id;
    uint8_t flags; /* enum takt_can_flag */
    uint8_t length; /* bytes of data, 0..8 */
    uint8_t channel; /* it came from; writing sets it */
    uint8_t reserved;
    takt_time_t at; /* received: when it was on the bus, by the adapter's clock */
    uint8_t data[8];
};

enum takt_can_mode {
    TAKT_CAN_LISTEN_ONLY = 1, /* sends nothing, not even acknowledgements */
    TAKT_CAN_ONE_SHOT = 2,    /* a frame that fails is not sent again */
};

enum takt_can_state {
    TAKT_CAN_CLOSED,  /* not opened, or the adapter is not there */
    TAKT_CAN_ACTIVE,
    TAKT_CAN_WARNING, /* an error counter has reached 96 */
    TAKT_CAN_PASSIVE, /* 128 */
    TAKT_CAN_BUS_OFF, /* takes no part until the adapter has seen the bus idle for a while */
};

/* Of a channel, since the start; they wrap. */
struct takt_can_counters {
    uint32_t received;   /* frames that the RX thread found */
    uint32_t overflow;   /* of these, lost: the channel's buffer, or its pipe's, was full */
    uint32_t overruns;   /* gaps the adapter told of with a frame of this channel: its own buffer
                            was full. Lost to this channel's pipe, or to all if it has none */
    uint32_t sent;       /* frames acknowledged on the bus */
    uint32_t unsent;     /* taken for sending and thrown away: bus-off, unplugged, USB's errors */
    uint32_t bus_errors; /* damaged frames on the bus */
    uint32_t bus_offs;
    uint8_t rx_errors, tx_errors; /* the controller's counters as told last */
};

/* Of an adapter, since the start; they wrap. */
struct takt_can_adapter_counters {
    uint32_t plugged;   /* times it has come */
    uint32_t failed;    /* times it came and did not answer as it should */
    uint32_t reads;     /* transfers with data */
    uint32_t malformed; /* messages that make no sense; the rest of their transfer is lost. Of
                           which pipe is not known, so all pipes that are read count it as lost */
    uint32_t strange;   /* messages that no request waits for: late answers, unknown ones */
    uint32_t retried;   /* times that an error on USB stopped the way in or out */
    uint32_t broken;    /* of these, those on the way in that may have lost frames, counted as
                           those that are malformed */
    uint32_t refused;   /* commands the adapter would not do */
    uint32_t timeouts;  /* answers that did not come */
};

struct can_kind;
struct can_state;

/* An adapter; TAKT_CAN_ADAPTER() defines it. */
struct takt_can_adapter {
    const struct can_kind *kind;
    struct takt_endpoint *in, *out; /* out: NULL without TAKT_CAN_SENDER() */
    void *room;              /* CAN_ROOM_BYTES, for the driver */
    struct can_state *state; /* the driver's, NULL before it is used */
};

/*
 * Kinds of adapters: Kvaser's with the "hydra" protocol (USBcan Pro 5xHS: five channels, 64 bytes a
 * message, 4096 bytes that the newest overwrite), and gs_usb (candleLight and the like).
 */
extern const struct can_kind can_hydra, can_gs;
extern const struct takt_endpoint_ops can_in_ops, can_out_ops;

/* gs_usb: a frame in each transfer, and so many are on their way at once. What comes between two
 * jobs of the RX thread has to find one; the adapter's own buffer holds what comes while the bottom
 * half has not yet told of those that have ended. */
#define TAKT_CAN_GS_READS 56

/* Frames of takt_can_write() that may be on their way at once, in all channels of an adapter, while
 * pipes read it: their acknowledgements take room in its buffer that is kept free for so many. Of
 * what pipes send as many may as admission has counted, takt_admit_echoes(). */
#define TAKT_CAN_DIRECT 2

/*
 * What they can do, for pipes: five messages in the time of the shortest frame at 1 Mbit/s.
 * delay_us: each of three stages within the period T of the RX thread. CPU time: of a slow PC.
 * Room: hydra's buffer has 4096 bytes, of which a frame takes 64, the acknowledgement of one 32;
 * besides there are an answer to a question, a change of state and the clock. With gs each takes a
 * transfer. Of a channel's frames 128 wait in hydra's adapters, and 10 in any of gs.
 */
#define CAN_HOLD_NS 250000u
#define CAN_LOOK_US 1000u /* the USB bottom half looks once in that time */
#define CAN_BOTTOM_NS 10000u
#define CAN_ATTRS_(channels, room, window, least, transfer_, echo, delay)                          \
    {                                                                                              \
        .max_channels = (channels), .max_tput = (channels) * 64u * 8u, .min_latency = 47000,       \
        .min_ebufsz = (room), .max_ebufsz = (window), .min_pktsz = (least), .max_pktsz = 64,       \
        .transfer = (transfer_), .echo_bytes = (echo), .hold_ns = CAN_HOLD_NS,                     \
        .interval_us = CAN_LOOK_US, .top_ns = 5000, .bottom_ns = CAN_BOTTOM_NS, .batch_ns = 20000, \
        .packet_ns = 2000, .delay_us = (delay), .min_period_us = 1000, .max_period_us = 100000     \
    }
#define CAN_ROOM_gs             (64 * TAKT_CAN_GS_READS)
#define CAN_BESIDE_hydra        (32 * (3 + TAKT_CAN_DIRECT))
#define CAN_BESIDE_gs           (64 * TAKT_CAN_DIRECT)
#define CAN_IN_DELAY_US_(t_us)  (3u * (t_us) + 2u * CAN_LOOK_US)
#define CAN_OUT_DELAY_US_(t_us) (2u * (t_us) + 2u * CAN_LOOK_US)
#define CAN_IN_hydra(t_us)                                                                         \
    CAN_ATTRS_(5, 4096, 4096, 32, TAKT_ASKED, CAN_BESIDE_hydra, CAN_IN_DELAY_US_(t_us))
#define CAN_OUT_hydra(t_us)                                                                        \
    CAN_ATTRS_(5, 0, 64 * (128 - TAKT_CAN_DIRECT), 32, TAKT_PUSHED, 32, CAN_OUT_DELAY_US_(t_us))
#define CAN_IN_gs(t_us)                                                                            \
    CAN_ATTRS_(1, CAN_ROOM_gs, CAN_ROOM_gs, 64, TAKT_ASKED, CAN_BESIDE_gs, CAN_IN_DELAY_US_(t_us))
#define CAN_OUT_gs(t_us)                                                                           \
    CAN_ATTRS_(1, 0, 64 * (10 - TAKT_CAN_DIRECT), 64, TAKT_PUSHED, 64, CAN_OUT_DELAY_US_(t_us))

#define CAN_STACK_BYTES 8192

/* What the driver keeps of an adapter: frames of its channels, transfers, and so on. */
#define CAN_ROOM_BYTES                                                                             \
    (TAKT_CAN_CHANNELS * (TAKT_CAN_FRAMES + 1u) * sizeof(struct takt_can_frame) + 18432u)

#ifdef __cplusplus
#define CAN_CONSTANT_ static constexpr
#else
#define CAN_CONSTANT_ static const
#endif

/*
 * Defines adapter `id` of a kind, hydra or gs; its RX thread `id`_rx with budget c_us per t_us,
 * which is also how often it asks the adapter for frames at most; its endpoints `id`_in and
 * `id`_out. At file scope. Pipes out of it need TAKT_CAN_SENDER(), too.
 */
#define TAKT_CAN_ADAPTER(id, kind, c_us, t_us)                                                     \
    extern struct takt_can_adapter id;                                                             \
    extern struct takt_endpoint id##_out __attribute__((weak));                                    \
    TAKT_BUDGET_THREAD(id##_rx, c_us, t_us, can_receive, &id, CAN_STACK_BYTES);                    \
    TAKT_IO_CLIENT(id##_rx, CAN_BOTTOM_, &takt_thread_##id##_rx, CAN_BOTTOM_NS);                  \
    CAN_CONSTANT_ struct takt_endpoint_attrs id##_in_attrs = CAN_IN_##kind(t_us);                  \
    struct takt_endpoint id##_in = {                                                               \
        &id##_in_attrs,       &can_in_ops, CAN_BOTTOM_,                                            \
        &takt_thread_##id##_rx, #id " in",   &id,                                                  \
        sizeof(struct takt_can_frame), TAKT_IN, 0};                                                \
    static char id##_room[CAN_ROOM_BYTES] __attribute__((aligned(64)));                            \
    struct takt_can_adapter id = {&can_##kind, &id##_in, &id##_out, id##_room, 0};                 \
    static struct takt_can_adapter *const can_adapter_##id                                         \
        __attribute__((section("takt_can_adapters"), used, no_reorder)) = &id

/* The TX thread of that adapter, `id`_tx, and its endpoint, in the same file. */
#define TAKT_CAN_SENDER(id, kind, c_us, t_us)                                                      \
    TAKT_BUDGET_THREAD(id##_tx, c_us, t_us, can_send, &id, CAN_STACK_BYTES);                       \
    TAKT_IO_CLIENT(id##_tx, CAN_BOTTOM_, &takt_thread_##id##_tx, CAN_BOTTOM_NS);                  \
    CAN_CONSTANT_ struct takt_endpoint_attrs id##_out_attrs = CAN_OUT_##kind(t_us);                \
    struct takt_endpoint id##_out = {                                                              \
        &id##_out_attrs,      &can_out_ops, CAN_BOTTOM_,                                           \
        &takt_thread_##id##_tx, #id " out",   &id,                                                 \
        sizeof(struct takt_can_frame), TAKT_OUT, 0}

extern const struct takt_thread takt_thread_usb; /* bottom half of the USB host */
#define CAN_BOTTOM_ &takt_thread_usb

/* The threads' entries; arg: the adapter. */
void can_receive(void *arg);
void can_send(void *arg);

/*
 * Puts a channel on the bus at a bit rate (10000..1000000), or changes what it was set to; mode: of
 * enum takt_can_mode. Thread, may block for some periods of the RX thread, 1 s for each answer that
 * does not come. TAKT_OK; TAKT_EGONE: the adapter is not there, the channel will be opened when it
 * comes; TAKT_EINVAL: channel or mode, or a bit rate that its clock cannot make; TAKT_ETIMEOUT,
 * TAKT_EREFUSED: the adapter does not answer, or refuses; TAKT_ECONTEXT.
 */
int takt_can_open(struct takt_can_adapter *adapter, uint8_t channel, uint32_t bit_rate,
                  uint8_t mode);

/* Takes it off the bus; frames that wait to be sent are thrown away. As takt_can_open(). */
int takt_can_close(struct takt_can_adapter *adapter, uint8_t channel);

/* Takes the oldest frame of a channel no pipe carries. One thread for each channel; never blocks.
 * TAKT_OK, TAKT_EAGAIN; TAKT_EGONE: there is none, nor is the adapter; TAKT_EINVAL. */
int takt_can_read(struct takt_can_adapter *adapter, uint8_t channel, struct takt_can_frame *frame);

/* Waits until a frame can be read, `us` at most. The same thread. TAKT_OK, TAKT_ETIMEOUT,
 * TAKT_EGONE, TAKT_EINVAL, TAKT_ECONTEXT. */
int takt_can_wait(struct takt_can_adapter *adapter, uint8_t channel, uint32_t us);

/*
 * Gives a frame to the adapter to be sent. Threads; never blocks. TAKT_OK; TAKT_EAGAIN: the
 * adapter's queue is full, or TAKT_CAN_DIRECT are on their way; TAKT_EBUS: bus-off; TAKT_EGONE;
 * TAKT_EINVAL: frame, channel not open, or it only listens; TAKT_ECONTEXT: in an interrupt.
 */
int takt_can_write(struct takt_can_adapter *adapter, uint8_t channel,
                   const struct takt_can_frame *frame);

/* Frames given to the adapter and not yet acknowledged. Either context. */
uint32_t takt_can_queued(const struct takt_can_adapter *adapter, uint8_t channel);

/* enum takt_can_state, or TAKT_EINVAL. Either context. */
int takt_can_state(const struct takt_can_adapter *adapter, uint8_t channel);

/* Channels of the adapter that is there, 0: none is. Either context. */
uint8_t takt_can_channels(const struct takt_can_adapter *adapter);

/* Counters. Thread. TAKT_EINVAL. */
int takt_can_count(const struct takt_can_adapter *adapter, uint8_t channel,
                   struct takt_can_counters *counters);
int takt_can_adapter_count(const struct takt_can_adapter *adapter,
                           struct takt_can_adapter_counters *counters);

/* How often frames were lost, or may have been, on the way in: overruns and overflow of all
 * channels, malformed and broken; on the way out: unsent of all channels. Thread. */
uint32_t takt_can_lost(const struct takt_can_adapter *adapter);
uint32_t takt_can_unsent(const struct takt_can_adapter *adapter);

#ifdef __cplusplus
}
#endif

#endif
