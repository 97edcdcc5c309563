/*
 * Transfers into rings (xHCI 1.2, 4.11). A transfer takes one block, and another for each boundary
 * of 64 KB that its data cross; control transfers one before and one after. An endpoint's queue has
 * all that are on their way; while it flows its ring has them, too:
 *
 *   first --> transfer --> transfer --> last          used: blocks of all of them
 *               |            |
 *   ring    [ # # . . . . . # . . . ]
 *
 * Invariant: used is the sum of the transfers' room, what each takes if it is there as a whole, and
 * at most XHCI_RING_ROOM. A part takes no more.
 *
 * A bulk endpoint with a limit (usb_reserve()): at most so many packets are in the ring or were
 * there in the last interval, as the bottom half saw it. So in any interval the controller moves no
 * more: what it moves in one was in the ring at its start or was put there in it, and counts to the
 * end of it at least. What a transfer has beyond that, and what is behind it, follows at later
 * services. A transfer counts as the packets that it might have taken.
 */
#include "xhci.h"

#include <takt/port.h>
#include <takt/time.h>

#define NOT_IN_RING 0xFFu
#define BOUNDARY    0x10000u

uint32_t xhci_busy[(XHCI_ENDPOINTS + 31) / 32];

static size_t index_of(const struct xhci_endpoint *endpoint)
{
    return (size_t)(endpoint - xhci_endpoints);
}

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

/* Data: the first block with `control`, the last with `end`, all between chained. */
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

static uint32_t packets_in(const struct xhci_endpoint *endpoint, uint32_t bytes)
{
    uint32_t size = endpoint->usb->max_packet;
    return bytes == 0 ? 1 : (bytes + size - 1) / size;
}

/* Packets that its limit leaves now. */
static uint32_t allowance(struct xhci_endpoint *endpoint)
{
    uint32_t taken = endpoint->asked, kept = 0;
    takt_time_t now = takt_now();
    for (uint8_t i = 0; i < endpoint->spent_count; i++)
        if (takt_before(now, endpoint->spent[i].until)) {
            endpoint->spent[kept++] = endpoint->spent[i];
            taken += endpoint->spent[i].packets;
        }
    endpoint->spent_count = (uint8_t)kept;
    return taken < endpoint->usb->limit ? endpoint->usb->limit - taken : 0;
}

void xhci_fill_later_locked(struct xhci_endpoint *endpoint)
{
    endpoint->fill_again = endpoint->usb->device->controller->again = true;
}

/* They are no longer in the ring. Where there is no room they are counted together with the last,
 * and so longer. */
static void spend(struct xhci_endpoint *endpoint, uint16_t packets)
{
    if (packets == 0)
        return;
    endpoint->asked = (uint16_t)(endpoint->asked - packets);
    if (endpoint->spent_count < XHCI_SPENT)
        endpoint->spent[endpoint->spent_count++].packets = 0;
    uint8_t last = (uint8_t)(endpoint->spent_count - 1);
    endpoint->spent[last].packets = (uint16_t)(endpoint->spent[last].packets + packets);
    endpoint->spent[last].until = takt_now() + endpoint->usb->every_us;
    xhci_fill_later_locked(endpoint);
}

/* Bytes of a transfer that may go into the ring now. False: none, not even an empty packet. */
static bool part_of(struct xhci_endpoint *endpoint, struct usb_transfer *transfer, uint32_t *bytes)
{
    *bytes = transfer->length - transfer->moved;
    if (endpoint->usb->type != USB_BULK || endpoint->usb->limit == 0)
        return true;
    uint32_t packets = packets_in(endpoint, *bytes), allowed = allowance(endpoint);
    if (packets > allowed) {
        packets = allowed;
        *bytes = allowed * endpoint->usb->max_packet;
    }
    transfer->asked = (uint16_t)packets;
    endpoint->asked = (uint16_t)(endpoint->asked + packets);
    return packets > 0;
}

/* Into the ring; of one that has begun and was stopped, what is left; `bytes` of a bulk transfer.
 * */
static void put_transfer(struct xhci_endpoint *endpoint, struct usb_transfer *transfer,
                         uint32_t bytes)
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
        transfer->until = transfer->moved + bytes;
        put_data(&train, (char *)transfer->data + transfer->moved, bytes, TRB_TYPE(TRB_NORMAL),
                 TRB_EVENT);
        break;
    }
    transfer->first = train.first;
    transfer->entries = train.count;
    xhci_ring_release(&endpoint->ring, train.first);
}

/* Puts what is not in the ring there, from a transfer on. One that does not fit as a whole goes on
 * when that part is done; one that must wait, when something has been spent long enough. */
static void fill_from(struct xhci_endpoint *endpoint, struct usb_transfer *transfer)
{
    uint32_t bytes;
    for (; transfer != NULL; transfer = transfer->next) {
        if (transfer->first == NOT_IN_RING) {
            if (!part_of(endpoint, transfer, &bytes)) {
                if (endpoint->spent_count > 0)
                    xhci_fill_later_locked(endpoint);
                return;
            }
            put_transfer(endpoint, transfer, bytes);
        }
        if (transfer->until < transfer->length)
            return;
    }
}

int xhci_queue_locked(struct xhci_endpoint *endpoint, struct usb_transfer *transfer)
{
    uint32_t needed = blocks(transfer);
    if (needed > (uint32_t)(XHCI_RING_ROOM - endpoint->used))
        return TAKT_EOVERFLOW;
    transfer->room = (uint8_t)needed;
    transfer->first = NOT_IN_RING;
    transfer->next = NULL;
    transfer->stage = USB_QUEUED;
    transfer->asked = 0;
    transfer->until = transfer->length;
    endpoint->used = (uint8_t)(endpoint->used + needed);
    if (endpoint->first == NULL)
        endpoint->first = transfer;
    else
        endpoint->last->next = transfer;
    endpoint->last = transfer;
    xhci_busy[index_of(endpoint) / 32] |= 1u << index_of(endpoint) % 32;
    if (endpoint->state != XHCI_STOPPING && !endpoint->fill_again)
        fill_from(endpoint, endpoint->usb->limit > 0 ? endpoint->first : transfer);
    xhci_kick_locked(endpoint);
    return TAKT_OK;
}

void xhci_fill_locked(struct xhci_endpoint *endpoint)
{
    fill_from(endpoint, endpoint->first);
}

void xhci_fill_again_locked(struct xhci_endpoint *endpoint)
{
    endpoint->fill_again = false;
    if (endpoint->state == XHCI_STOPPING)
        return; /* it will be filled anew */
    xhci_fill_locked(endpoint);
    xhci_kick_locked(endpoint);
}

static void take_from_ring(struct xhci_endpoint *endpoint, struct usb_transfer *transfer)
{
    transfer->first = NOT_IN_RING;
    spend(endpoint, transfer->asked);
    transfer->asked = 0;
}

void xhci_continue_locked(struct xhci_endpoint *endpoint, struct usb_transfer *transfer)
{
    take_from_ring(endpoint, transfer);
    xhci_fill_later_locked(endpoint);
}

void xhci_refill_locked(struct xhci_endpoint *endpoint)
{
    xhci_ring_start(&endpoint->ring);
    for (struct usb_transfer *t = endpoint->first; t != NULL; t = t->next)
        take_from_ring(endpoint, t);
    xhci_fill_locked(endpoint);
}

void xhci_kick_locked(struct xhci_endpoint *endpoint)
{
    const struct usb_device *device = endpoint->usb->device;
    if (endpoint->state != XHCI_FLOWING || endpoint->first == NULL)
        return;
    endpoint->running = true;
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
    if (endpoint->first == NULL)
        xhci_busy[index_of(endpoint) / 32] &= ~(1u << index_of(endpoint) % 32);
    endpoint->used = (uint8_t)(endpoint->used - transfer->room);
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
    spend(endpoint, transfer->asked);
    transfer->result = result;
    transfer->stage = USB_ENDED;
    endpoint->retries = 0;
    endpoint->came = 0;
    append(list, transfer);
}

void xhci_retire_all_locked(struct xhci_endpoint *endpoint, int result, struct usb_transfer **list)
{
    while (endpoint->first != NULL)
        xhci_retire_locked(endpoint, endpoint->first, result, list);
}
