/*
 * Which endpoint may use a USB bus when: the schedule of its micro-frames (Tuned Pipes, Algorithm
 * 1; mended).
 *
 *   slot      0    1    2    3    4    5    6    7    8  ...  1023 | 0 ...
 *           |##  |##  |##  |##  |##  |##  |##  |##  |##        interval 1
 *           |%%%%|    |    |    |%%%%|    |    |    |%%%%      interval 4, offset 0
 *           |    |@@  |    |    |    |    |    |    |          interval 8, offset 1
 *           |----------- periodic limit: 80 % of a micro-frame at high speed ------------
 *           | control and bulk: what is left                                             |
 *
 * A stream is a periodic endpoint: its time on the wire in one slot of every `interval`. Intervals
 * are powers of two up to the 1024 slots of the table, so what repeats in the table repeats for
 * ever. A reservation is a bulk endpoint of which the host asks at most so many bytes in so many
 * slots; it is served within a bounded time whatever order the controller serves bulk in.
 *
 * A live stream never moves: adding looks for room among those that are there, removing gives back.
 *
 * All functions: thread context, never wait, one caller at a time (the driver's lock); nothing is
 * allocated, streams and reservations belong to the caller and stay where they are while placed.
 */
#ifndef TAKT_USB_SCHEDULE_H
#define TAKT_USB_SCHEDULE_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define USB_SLOTS 1024u

/* Streams that one call places together. */
#define USB_BATCH 255u

/* What a host controller takes between two transactions. */
#ifndef USB_HOST_DELAY_NS
#define USB_HOST_DELAY_NS 100u
#endif

/* How a bus divides its time; ns. */
struct usb_timing {
    uint32_t slot_ns;    /* a micro-frame; a frame of a full-speed bus */
    uint32_t periodic_ns; /* of it for streams */
    uint32_t control_ns; /* of it kept for control transfers */
    uint32_t probe_ns;   /* asking a bulk endpoint that has nothing */
};

extern const struct usb_timing usb_full_timing, usb_high_timing,
    usb_super_timing;

/* A transfer's way over the wire. */
struct usb_wire {
    uint8_t speed; /* enum usb_speed */
    bool isochronous;
    bool in;
    uint16_t packet; /* most bytes in a packet, 1.. */
};

/*
 * ns that `bytes` take in packets, at least one: the longest time USB 2.0, section 5.11.3, gives,
 * with bits stuffed at their worst; USB 3.2 with headers and link commands. O(1).
 */
uint32_t usb_wire_ns(const struct usb_wire *wire, uint32_t bytes);

struct usb_stream {
    uint32_t time_ns;  /* on the wire in a slot, 1..periodic_ns */
    uint16_t interval; /* slots: a power of two, 1..USB_SLOTS */
    /* the schedule's */
    uint16_t offset; /* of its first slot, below interval, while placed */
    bool placed;
    struct usb_stream *next;
};

struct usb_bulk {
    uint32_t packets;   /* that a transfer has at most, 1..65535 */
    uint32_t packet_ns; /* of its longest packet on the wire */
    uint16_t interval;  /* slots from one transfer's start to the next one's at least, 1..1024 */
    uint16_t within;    /* slots that a transfer may take once it is asked for, 1..1024 */
    /* the schedule's */
    bool placed;
    struct usb_bulk *next;
};

struct usb_schedule {
    const struct usb_timing *timing;
    uint16_t grain;
    struct usb_stream *streams;
    struct usb_bulk *bulk;
    uint32_t used[USB_SLOTS];         /* ns of streams */
    uint32_t free_until[USB_SLOTS + 1]; /* ns left for bulk in all slots before; scratch */
};

/*
 * An empty schedule. grain: slots within which the controller itself chooses, a power of two up to
 * USB_SLOTS. 1 where software names the micro-frame (EHCI); 8 where it names the frame (xHCI,
 * isochronous); USB_SLOTS where it names none (xHCI, interrupt): a stream then counts in every
 * slot it might be put in. TAKT_EINVAL.
 */
int usb_schedule_init(struct usb_schedule *s, const struct usb_timing *timing,
                           uint16_t grain);

/*
 * Places a stream. TAKT_EINVAL: time or interval out of range, or placed already; TAKT_EADMIT: no
 * room, or a bulk reservation would be late; nothing has changed then. O(slots).
 */
int usb_schedule_add(struct usb_schedule *s, struct usb_stream *stream);

/*
 * Places all or none, 1..USB_BATCH; the array keeps its order. Finds room whenever Algorithm 1
 * among the same live streams would. Errors as usb_schedule_add(). O(n slots).
 */
int usb_schedule_add_all(struct usb_schedule *s, struct usb_stream *streams,
                              uint32_t n);

/* Gives a stream's slots back. TAKT_EINVAL: it is not placed here. O(streams + slots). */
int usb_schedule_remove(struct usb_schedule *s, struct usb_stream *stream);

/* The longest time one more stream of that interval could have, ns; 0: none, or no interval. For
 * telling why one was refused. Bulk reservations may allow less. O(slots). */
uint32_t usb_schedule_room(const struct usb_schedule *s, uint16_t interval);

/* Places a bulk reservation; errors as usb_schedule_add(). O(slots log(slots) bulk). */
int usb_schedule_reserve(struct usb_schedule *s, struct usb_bulk *bulk);

/* Gives it back. TAKT_EINVAL: it is not placed here. O(bulk). */
int usb_schedule_release(struct usb_schedule *s, struct usb_bulk *bulk);

/*
 * Slots within which every transfer of every reservation is served, counted from the slot after it
 * was asked for; 0: nothing is reserved; above USB_SLOTS: no bound. Costs as reserve.
 */
uint32_t usb_schedule_bulk_slots(struct usb_schedule *s);

/* Invariants: the table is the sum of the placed streams, and no slot is beyond its limit. For
 * tests. O(streams slots). */
bool usb_schedule_sound(const struct usb_schedule *s);

/* The interval in slots nearest to and not above what an endpoint asks for: a power of two,
 * 1..USB_SLOTS; asking more often is allowed (USB 2.0, 5.7.4). wanted 0 counts as 1. */
uint16_t usb_interval(uint32_t wanted);

#ifdef __cplusplus
}
#endif

#endif
