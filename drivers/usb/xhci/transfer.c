/*
 * Transfers into rings (xHCI 1.2, 4.11). A transfer takes one block, and another for each boundary
 * of 64 KB that its data cross; control transfers one before and one after. An endpoint's queue has
 * all that are on their way; while it flows its ring has them, too:
 *
 *   first --> transfer --> transfer --> last          used: blocks of all of them
 *               |            |
 *   ring    [ # # . . . . . # . . . ]
 *
 * Invariant: used is the sum of entries, and at most XHCI_RING_ROOM.
 */
#include "xhci.h"

#include <takt/port.h>

#define NOT_IN_RING 0xFFu
#define BOUNDARY    0x10000u

/* Blocks for data. */
static uint32_t pieces(const void *data, uint32_t length)
{
    uint32_t offset = (uint32_t)(usb_dma_address(data) % BOUNDARY);
    return length == 0 ? 1 : (offset + length + BOUNDARY - 1) / BOUNDARY;
}

static uint32_t blocks(const struct usb_transfer *transfer)
{
    const char *data = transfer->data;
    uint32_t count = 0;
    switch ((enum usb_type)transfer->endpoint->type) {
    case USB_CONTROL:
        return 2 + (transfer->length > 0 ? pieces(data, transfer->length) : 0);
    case USB_ISOCHRONOUS:
        for (uint8_t i = 0; i < transfer->packet_count; i++) {
            count += pieces(data, transfer->packets[i].length);
            data += transfer->packets[i].length;
        }
        return count;
    case USB_BULK:
    case USB_INTERRUPT:
        break;
    }
    return pieces(data, transfer->length);
}

/* Blocks being appended; the controller sees none before all are there. */
struct train {
    struct xhci_endpoint *endpoint;
    uint8_t first;
    uint8_t count;
};

static void put(struct train *train, uint64_t parameter, uint32_t status, uint32_t control)
{
    struct xhci_trb trb = {parameter, status, control};
    uint8_t place = xhci_ring_put(&train->endpoint->ring, &trb, train->count == 0);
    if (train->count++ == 0)
        train->first = place;
}

/* Packets that are still to come after `done` bytes of `length`. */
static uint32_t left(uint32_t length, uint32_t done, uint16_t max_packet)
{
    uint32_t packets = (length + max_packet - 1) / max_packet - done / max_packet;
    return packets < 31 ? packets : 31;
}

/* Data: the first block with `control`, the last with `end`, all others chained. */
static void put_data(struct train *train, const void *data, uint32_t length, uint32_t control,
                     uint32_t end)
{
    uint16_t max_packet = train->endpoint->usb->max_packet;
    uint64_t at = usb_dma_address(data);
    uint32_t done = 0;
    do {
        uint32_t room = BOUNDARY - (uint32_t)(at % BOUNDARY);
        uint32_t piece = length - done < room ? length - done : room;
        done += piece;
        bool last = done == length;
        put(train, at, piece | (last ? 0 : TRB_LEFT(left(length, done, max_packet))),
            control | TRB_SHORT | (last ? end : TRB_CHAIN));
        at += piece;
        control = TRB_TYPE(TRB_NORMAL);
    } while (done < length);
}

static void put_control(struct train *train, struct usb_transfer *transfer)
{
    const struct usb_setup *s = &transfer->setup;
    bool in = s->request_type & USB_IN;
    uint64_t immediate = s->request_type | (uint64_t)s->request << 8 | (uint64_t)s->value << 16 |
                         (uint64_t)s->index << 32 | (uint64_t)s->length << 48;
    uint32_t stages = transfer->length == 0 ? 0 : in ? 3u << 16 : 2u << 16;
    put(train, immediate, 8, TRB_TYPE(TRB_SETUP) | TRB_IMMEDIATE | stages);
    if (transfer->length > 0)
        put_data(train, transfer->data, transfer->length,
                 TRB_TYPE(TRB_DATA) | (in ? TRB_IN : 0), 0);
    put(train, 0, 0,
        TRB_TYPE(TRB_STATUS) | TRB_EVENT | (in && transfer->length > 0 ? 0 : TRB_IN));
    transfer->moved = transfer->length; /* unless the controller says otherwise */
}

/* Bursts of a packet's transactions: how many beyond the first, and how many transactions the last
 * has beyond the first (6.4.1.3). */
static uint32_t bursts(const struct usb_endpoint *endpoint, uint32_t length)
{
    uint32_t transactions = length == 0 ? 1 : (length - 1) / endpoint->max_packet + 1;
    uint32_t burst = endpoint->burst + 1u;
    return (transactions - 1) / burst << 7 | (transactions - 1) % burst << 16;
}

static void put_packets(struct train *train, struct usb_transfer *transfer)
{
    const char *data = transfer->data;
    transfer->in_ring = (uint8_t)(transfer->packet_count - transfer->packets_done);
    for (uint8_t i = 0; i < transfer->packet_count; i++) {
        uint32_t length = transfer->packets[i].length;
        if (i >= transfer->packets_done)
            put_data(train, data, length,
                     TRB_TYPE(TRB_ISOCH) | TRB_SOON | bursts(transfer->endpoint, length),
                     TRB_EVENT);
        data += length;
    }
}

/* Into the ring; of one that has begun and was stopped, what is left. */
static void put_transfer(struct xhci_endpoint *endpoint, struct usb_transfer *transfer)
{
    struct train train = {endpoint, 0, 0};
    switch ((enum usb_type)endpoint->usb->type) {
    case USB_CONTROL:
        put_control(&train, transfer);
        break;
    case USB_ISOCHRONOUS:
        put_packets(&train, transfer);
        break;
    case USB_BULK:
    case USB_INTERRUPT:
        put_data(&train, (char *)transfer->data + transfer->moved,
                 transfer->length - transfer->moved, TRB_TYPE(TRB_NORMAL), TRB_EVENT);
        break;
    }
    transfer->first = train.first;
    endpoint->used = (uint8_t)(endpoint->used - transfer->entries + train.count);
    transfer->entries = train.count;
    xhci_ring_release(&endpoint->ring, train.first);
}

int xhci_queue_locked(struct xhci_endpoint *endpoint, struct usb_transfer *transfer)
{
    uint32_t needed = blocks(transfer);
    if (needed > (uint32_t)(XHCI_RING_ROOM - endpoint->used))
        return TAKT_EOVERFLOW;
    transfer->entries = (uint8_t)needed;
    transfer->first = NOT_IN_RING;
    transfer->next = NULL;
    transfer->stage = USB_QUEUED;
    endpoint->used = (uint8_t)(endpoint->used + needed);
    if (endpoint->first == NULL)
        endpoint->first = transfer;
    else
        endpoint->last->next = transfer;
    endpoint->last = transfer;
    if (endpoint->state != XHCI_STOPPING)
        put_transfer(endpoint, transfer);
    xhci_kick_locked(endpoint);
    return TAKT_OK;
}

void xhci_fill_locked(struct xhci_endpoint *endpoint)
{
    for (struct usb_transfer *t = endpoint->first; t != NULL; t = t->next)
        if (t->first == NOT_IN_RING)
            put_transfer(endpoint, t);
}

void xhci_refill_locked(struct xhci_endpoint *endpoint)
{
    xhci_ring_start(&endpoint->ring);
    for (struct usb_transfer *t = endpoint->first; t != NULL; t = t->next)
        t->first = NOT_IN_RING;
    xhci_fill_locked(endpoint);
}

void xhci_kick_locked(const struct xhci_endpoint *endpoint)
{
    const struct usb_device *device = endpoint->usb->device;
    if (endpoint->state == XHCI_FLOWING && endpoint->first != NULL)
        usb_io_ring(device->controller->doorbells + 4u * device->slot, endpoint->dci);
}

bool xhci_holds(const struct usb_transfer *transfer, uint8_t place)
{
    return transfer->first != NOT_IN_RING &&
           xhci_ring_after(transfer->first, place) < transfer->entries;
}

/* Takes one out, wherever it stands. `before`: the one before it, or NULL. */
static void unlink_locked(struct xhci_endpoint *endpoint, struct usb_transfer *before,
                          struct usb_transfer *transfer)
{
    if (before == NULL)
        endpoint->first = transfer->next;
    else
        before->next = transfer->next;
    if (endpoint->last == transfer)
        endpoint->last = before;
    endpoint->used = (uint8_t)(endpoint->used - transfer->entries);
}

static void append(struct usb_transfer **list, struct usb_transfer *transfer)
{
    while (*list != NULL)
        list = &(*list)->next;
    transfer->next = NULL;
    *list = transfer;
}

void xhci_retire_locked(struct xhci_endpoint *endpoint, struct usb_transfer *transfer, int result,
                        struct usb_transfer **list)
{
    struct usb_transfer *before = NULL;
    for (struct usb_transfer *t = endpoint->first; t != transfer; t = t->next)
        before = t;
    unlink_locked(endpoint, before, transfer);
    transfer->result = result;
    transfer->stage = USB_ENDED;
    endpoint->retries = 0;
    append(list, transfer);
}

void xhci_retire_all_locked(struct xhci_endpoint *endpoint, int result, struct usb_transfer **list)
{
    while (endpoint->first != NULL)
        xhci_retire_locked(endpoint, endpoint->first, result, list);
}
