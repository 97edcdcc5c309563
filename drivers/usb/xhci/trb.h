/*
 * Transfer request blocks: what rings consist of (xHCI 1.2, 6.4), and their rings.
 */
#ifndef TAKT_XHCI_TRB_H
#define TAKT_XHCI_TRB_H

#include <takt/types.h>

struct xhci_trb {
    uint64_t parameter;
    uint32_t status;
    uint32_t control; /* written last: its cycle bit gives the block away */
};

enum xhci_trb_type {
    TRB_NORMAL = 1,
    TRB_SETUP,
    TRB_DATA,
    TRB_STATUS,
    TRB_ISOCH,
    TRB_LINK,
    TRB_EVENT_DATA,
    TRB_NO_OP,
    TRB_ENABLE_SLOT,
    TRB_DISABLE_SLOT,
    TRB_ADDRESS_DEVICE,
    TRB_CONFIGURE_ENDPOINT,
    TRB_EVALUATE_CONTEXT,
    TRB_RESET_ENDPOINT,
    TRB_STOP_ENDPOINT,
    TRB_SET_DEQUEUE,
    TRB_RESET_DEVICE,
    TRB_TRANSFER_EVENT = 32,
    TRB_COMMAND_EVENT,
    TRB_PORT_EVENT,
    TRB_HOST_EVENT = 37,
    TRB_WRAP_EVENT = 39,
};

/* Bits of `control`. */
#define TRB_CYCLE            0x1u
#define TRB_TOGGLE           0x2u /* link: the cycle bit changes its meaning */
#define TRB_SHORT            0x4u /* an event if a packet is short */
#define TRB_CHAIN            0x10u
#define TRB_EVENT            0x20u /* an event when it is done */
#define TRB_IMMEDIATE        0x40u /* `parameter` is the data */
#define TRB_TYPE(type)       ((uint32_t)(type) << 10)
#define TRB_TYPE_OF(control) ((control) >> 10 & 0x3Fu)
#define TRB_PRESERVE         0x200u   /* reset endpoint: a retry, packet numbers stay */
#define TRB_IN               0x10000u /* data and status stage */
#define TRB_SOON             0x80000000u /* isochronous: in the next interval that is free */
#define TRB_SLOT(slot)       ((uint32_t)(slot) << 24)
#define TRB_SLOT_OF(control) ((uint8_t)((control) >> 24))
#define TRB_ENDPOINT(dci)    ((uint32_t)(dci) << 16)
#define TRB_ENDPOINT_OF(control) ((uint8_t)((control) >> 16 & 0x1Fu))

/* Bits of `status`. */
#define TRB_LENGTH           0x1FFFFu
#define TRB_LEFT(packets)    ((uint32_t)(packets) << 17) /* still to come in this transfer, 0..31 */
#define TRB_CODE_OF(status)  ((uint8_t)((status) >> 24))
#define TRB_RESIDUE          0xFFFFFFu /* of an event: bytes not moved */

enum xhci_code {
    CODE_SUCCESS = 1,
    CODE_DATA_BUFFER = 2,
    CODE_BABBLE = 3,
    CODE_TRANSACTION = 4,
    CODE_STALL = 6,
    CODE_RESOURCE = 7,
    CODE_BANDWIDTH = 8,
    CODE_NO_SLOTS = 9,
    CODE_SHORT = 13,
    CODE_UNDERRUN = 14,
    CODE_OVERRUN = 15,
    CODE_CONTEXT_STATE = 19,
    CODE_RING_FULL = 21,
    CODE_MISSED = 23,
    CODE_RING_STOPPED = 24,
    CODE_ABORTED = 25,
    CODE_STOPPED = 26,
    CODE_STOPPED_LENGTH = 27, /* the residue means nothing */
    CODE_STOPPED_SHORT = 28,  /* the residue is what has been moved of the transfer */
    CODE_SPLIT = 36,
};

/*
 * A ring that the driver fills and the controller empties:
 *
 *      [ # # # . . . . # # # | link ]     # written with the cycle bit the controller looks for,
 *        ^   enqueue   ^ controller       the link leads to the start and toggles that bit
 */
enum { XHCI_RING = 64, XHCI_RING_ROOM = XHCI_RING - 1 };

struct xhci_ring {
    struct xhci_trb *trbs; /* XHCI_RING of them, aligned to as many bytes */
    uint8_t enqueue;       /* 0..XHCI_RING_ROOM-1 */
    bool cycle;            /* what the controller looks for at `enqueue` */
};

/* Empty, at its start. */
void xhci_ring_start(struct xhci_ring *ring);

/* Appends a block; with `withheld` the controller does not see it, nor what follows, before
 * xhci_ring_release(). The room is the caller's concern. Returns its place. O(1). */
uint8_t xhci_ring_put(struct xhci_ring *ring, const struct xhci_trb *trb, bool withheld);
void xhci_ring_release(struct xhci_ring *ring, uint8_t place);

/* Where the controller is to look for what comes next, with the cycle bit in bit 0. */
uint64_t xhci_ring_address(const struct xhci_ring *ring);

/* The place an address of the controller's means, or TAKT_EINVAL. */
int xhci_ring_place(const struct xhci_ring *ring, uint64_t address);

/* How many places `to` is after `from`. */
static inline uint8_t xhci_ring_after(uint8_t from, uint8_t to)
{
    return (uint8_t)((to + XHCI_RING_ROOM - from) % XHCI_RING_ROOM);
}

#endif
