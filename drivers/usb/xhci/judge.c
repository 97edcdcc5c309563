/*
 * What an event says about an endpoint's transfers (xHCI 1.2, 4.10.2, 6.4.5).
 *
 *   done, or a packet was short      the transfer has ended
 *   error on the wire                tried again three times, then as below; behind a hub that
 *                                    translates, where that is not allowed (4.6.8.1), at once
 *   STALL, babble, another error     it ends with that, and what is behind it, too (of the control
 *                                    endpoint only itself); the endpoint is recovered
 *   stopped                          how far it came, for recover.c
 *
 * The controller is not believed: a block that no transfer has, or more bytes than were asked for,
 * are counted as strange, and nothing comes of them but that a transfer ends.
 */
#include "xhci.h"

#define RETRIES 3

static uint32_t less_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static bool is_data(uint32_t control)
{
    uint32_t type = TRB_TYPE_OF(control);
    return type == TRB_NORMAL || type == TRB_DATA || type == TRB_ISOCH;
}

/* Bytes of data in the blocks from one place to before another. */
static uint32_t bytes_between(const struct xhci_ring *ring, uint8_t from, uint8_t to)
{
    uint32_t sum = 0;
    for (uint8_t at = from; at != to; at = (uint8_t)((at + 1) % XHCI_RING_ROOM))
        if (is_data(ring->trbs[at].control))
            sum += ring->trbs[at].status & TRB_LENGTH;
    return sum;
}

/* Bytes of the block at a place that have been moved, if `residue` have not. */
static uint32_t bytes_in(const struct xhci_ring *ring, uint8_t place, uint32_t residue)
{
    const struct xhci_trb *trb = &ring->trbs[place];
    uint32_t length = is_data(trb->control) ? trb->status & TRB_LENGTH : 0;
    if (residue > length && is_data(trb->control))
        usb_counters.strange++;
    return residue < length ? length - residue : 0;
}

static bool is_last(const struct usb_transfer *transfer, uint8_t place)
{
    return xhci_ring_after(transfer->first, place) == transfer->entries - 1;
}

static void ended_well(struct xhci_endpoint *endpoint, struct usb_transfer *transfer,
                       struct usb_transfer **list)
{
    usb_counters.transfers++;
    xhci_retire_locked(endpoint, transfer, (int)transfer->moved, list);
}

/* Of the control endpoint: the data stage tells how much, the status stage that it is over. */
static void control_went_on(struct xhci_endpoint *endpoint, struct usb_transfer *transfer,
                            uint8_t place, uint32_t residue, struct usb_transfer **list)
{
    if (is_last(transfer, place))
        ended_well(endpoint, transfer, list);
    else
        transfer->moved = bytes_between(&endpoint->ring, transfer->first, place) +
                          bytes_in(&endpoint->ring, place, residue);
}

static void went_on(struct xhci_endpoint *endpoint, struct usb_transfer *transfer, uint8_t place,
                    const struct xhci_trb *event, struct usb_transfer **list)
{
    uint32_t residue = event->status & TRB_RESIDUE;
    if (endpoint->usb->type == USB_CONTROL) {
        control_went_on(endpoint, transfer, place, residue, list);
    } else if (is_last(transfer, place) || TRB_CODE_OF(event->status) == CODE_SHORT) {
        transfer->moved += less_of(bytes_between(&endpoint->ring, transfer->first, place) +
                                       bytes_in(&endpoint->ring, place, residue),
                                   transfer->length - transfer->moved);
        if (transfer->moved == transfer->until && transfer->until < transfer->length)
            xhci_continue_locked(endpoint, transfer);
        else
            ended_well(endpoint, transfer, list);
    }
}

/* How far the first transfer came before it was stopped. */
static void stopped(struct xhci_endpoint *endpoint, struct usb_transfer *transfer, uint8_t place,
                    const struct xhci_trb *event)
{
    uint32_t residue = event->status & TRB_RESIDUE;
    uint32_t room = transfer->length - transfer->moved;
    uint32_t moved = bytes_between(&endpoint->ring, transfer->first, place);
    if (endpoint->usb->type == USB_CONTROL || endpoint->usb->type == USB_ISOCHRONOUS)
        return;
    if (TRB_CODE_OF(event->status) == CODE_STOPPED)
        moved += bytes_in(&endpoint->ring, place, residue);
    else if (TRB_CODE_OF(event->status) == CODE_STOPPED_SHORT)
        moved = residue;
    transfer->moved += less_of(moved, room);
}

static void count(uint8_t code)
{
    if (code == CODE_STALL)
        usb_counters.stalls++;
    else if (code == CODE_BABBLE)
        usb_counters.babbles++;
    else
        usb_counters.errors++;
}

static bool may_retry(const struct xhci_endpoint *endpoint, uint8_t code)
{
    return code == CODE_TRANSACTION && endpoint->usb->type != USB_CONTROL &&
           endpoint->retries < RETRIES && xhci_translator(endpoint->usb->device) == NULL;
}

static void went_wrong(struct xhci_endpoint *endpoint, struct usb_transfer *transfer,
                       uint8_t place, const struct xhci_trb *event, struct usb_transfer **list)
{
    uint8_t code = TRB_CODE_OF(event->status);
    uint32_t residue = event->status & TRB_RESIDUE;
    if (may_retry(endpoint, code)) {
        uint32_t came = bytes_between(&endpoint->ring, transfer->first, place) +
                        bytes_in(&endpoint->ring, place, residue);
        endpoint->retries++;
        xhci_reset_locked(endpoint, true, came);
        return;
    }
    int result = code == CODE_STALL ? TAKT_EREFUSED : TAKT_EBUS;
    count(code);
    xhci_leaves_locked(endpoint, code);
    if (endpoint->usb->type == USB_CONTROL) {
        transfer->moved = bytes_between(&endpoint->ring, transfer->first, place);
        xhci_retire_locked(endpoint, transfer, result, list);
    } else {
        transfer->moved += less_of(bytes_between(&endpoint->ring, transfer->first, place),
                                   transfer->length - transfer->moved);
        xhci_retire_all_locked(endpoint, result, list);
        if (endpoint->usb->state == USB_OPEN)
            endpoint->usb->state = USB_HALTED;
    }
    xhci_reset_locked(endpoint, false, 0);
}

/* Packet of a transfer that has the block at `place`: one begins with each TRB_ISOCH. */
static uint8_t packet_at(const struct xhci_endpoint *endpoint, const struct usb_transfer *transfer,
                         uint8_t begun, uint8_t place)
{
    uint8_t packet = begun;
    for (uint8_t at = transfer->first; at != place; at = (uint8_t)((at + 1) % XHCI_RING_ROOM)) {
        uint8_t next = (uint8_t)((at + 1) % XHCI_RING_ROOM);
        packet = (uint8_t)(packet +
                           (TRB_TYPE_OF(endpoint->ring.trbs[next].control) == TRB_ISOCH));
    }
    return packet;
}

/* Packets up to `packet` that nothing has been heard of have missed their interval. */
static void missed_before(struct usb_transfer *transfer, uint8_t packet)
{
    for (; transfer->packets_done < packet; transfer->packets_done++) {
        transfer->packets[transfer->packets_done].moved = 0;
        transfer->packets[transfer->packets_done].result = TAKT_ETIMEOUT;
    }
}

/* Bytes of the packet that ends, or came to its end, at `place`. */
static uint16_t packet_bytes(const struct xhci_endpoint *endpoint, uint8_t place, uint32_t residue)
{
    uint8_t from = place;
    while (TRB_TYPE_OF(endpoint->ring.trbs[from].control) == TRB_NORMAL)
        from = (uint8_t)((from + XHCI_RING_ROOM - 1) % XHCI_RING_ROOM);
    return (uint16_t)(bytes_between(&endpoint->ring, from, place) +
                      bytes_in(&endpoint->ring, place, residue));
}

static void packet_ended(struct xhci_endpoint *endpoint, struct usb_transfer *transfer,
                         uint8_t place, const struct xhci_trb *event, struct usb_transfer **list)
{
    uint8_t code = TRB_CODE_OF(event->status);
    uint8_t begun = (uint8_t)(transfer->packet_count - transfer->in_ring);
    uint8_t packet = packet_at(endpoint, transfer, begun, place);
    bool well = code == CODE_SUCCESS || code == CODE_SHORT;
    if (packet < transfer->packets_done || packet >= transfer->packet_count)
        return; /* its second event */
    missed_before(transfer, packet);
    struct usb_packet *p = &transfer->packets[packet];
    p->moved = well ? packet_bytes(endpoint, place, event->status & TRB_RESIDUE) : 0;
    p->result = well ? TAKT_OK : code == CODE_MISSED ? TAKT_ETIMEOUT : TAKT_EBUS;
    transfer->moved += p->moved;
    if (!well && code != CODE_MISSED)
        count(code);
    if (++transfer->packets_done == transfer->packet_count)
        ended_well(endpoint, transfer, list);
}

/* A transfer whose end has not been told, though one behind it has ended. */
static void skip(struct xhci_endpoint *endpoint, struct usb_transfer *transfer,
                 struct usb_transfer **list)
{
    if (endpoint->usb->type == USB_ISOCHRONOUS) {
        missed_before(transfer, transfer->packet_count);
        ended_well(endpoint, transfer, list);
    } else {
        usb_counters.strange++;
        xhci_retire_locked(endpoint, transfer, TAKT_EBUS, list);
    }
}

/* The transfer that has a block, or NULL. */
static struct usb_transfer *find(struct xhci_endpoint *endpoint, int place)
{
    struct usb_transfer *found = endpoint->first;
    while (found != NULL && (place < 0 || !xhci_holds(found, (uint8_t)place)))
        found = found->next;
    return found;
}

/* The ring has run out of packets: those it had are over. */
static void ran_dry(struct xhci_endpoint *endpoint, struct usb_transfer **list)
{
    if (endpoint->usb->type == USB_ISOCHRONOUS && endpoint->missed)
        while (endpoint->first != NULL && endpoint->state == XHCI_FLOWING)
            skip(endpoint, endpoint->first, list);
    endpoint->missed = false;
}

/* The block is one of the transfer's: those before it are over. */
static void apply(struct xhci_endpoint *endpoint, struct usb_transfer *transfer, uint8_t place,
                  const struct xhci_trb *event, struct usb_transfer **list)
{
    uint8_t code = TRB_CODE_OF(event->status);
    while (endpoint->first != transfer)
        skip(endpoint, endpoint->first, list);
    if (endpoint->usb->type == USB_ISOCHRONOUS)
        packet_ended(endpoint, transfer, place, event, list);
    else if (code == CODE_SUCCESS || code == CODE_SHORT)
        went_on(endpoint, transfer, place, event, list);
    else
        went_wrong(endpoint, transfer, place, event, list);
    if (endpoint->first != NULL && endpoint->first->stage == USB_CANCELLED)
        xhci_stop_locked(endpoint);
}

/* An error that names no transfer: if it has halted the endpoint, whatever waits there ends. */
static void lost_its_way(struct xhci_endpoint *endpoint, uint8_t code, struct usb_transfer **list)
{
    usb_counters.strange++;
    if (code == CODE_SUCCESS || xhci_endpoint_context(endpoint) != CONTEXT_HALTED)
        return;
    xhci_leaves_locked(endpoint, code);
    if (endpoint->usb->type != USB_CONTROL) {
        xhci_retire_all_locked(endpoint, TAKT_EBUS, list);
        if (endpoint->usb->state == USB_OPEN)
            endpoint->usb->state = USB_HALTED;
    } else if (endpoint->first != NULL) {
        xhci_retire_locked(endpoint, endpoint->first, TAKT_EBUS, list);
    }
    xhci_reset_locked(endpoint, false, 0);
}

static bool is_error(uint8_t code)
{
    return code == CODE_DATA_BUFFER || code == CODE_BABBLE || code == CODE_TRANSACTION ||
           code == CODE_STALL || code == CODE_SPLIT;
}

void xhci_judge_locked(struct xhci_endpoint *endpoint, const struct xhci_trb *event,
                       struct usb_transfer **list)
{
    uint8_t code = TRB_CODE_OF(event->status);
    int place = xhci_ring_place(&endpoint->ring, event->parameter);
    struct usb_transfer *transfer = find(endpoint, place);
    if (code == CODE_MISSED)
        endpoint->missed = true; /* which, shows when the next one ends, or none is left */
    if (code == CODE_UNDERRUN || code == CODE_OVERRUN)
        ran_dry(endpoint, list);
    else if (transfer != NULL && code >= CODE_STOPPED && code <= CODE_STOPPED_SHORT)
        stopped(endpoint, transfer, (uint8_t)place, event);
    else if (transfer != NULL)
        apply(endpoint, transfer, (uint8_t)place, event, list);
    else if (is_error(code) || (place < 0 && code != CODE_MISSED))
        lost_its_way(endpoint, code, list); /* else: the second event of one that was short */
}
