/*
 * Endpoints that have to be stopped, and go on (xHCI 1.2, 4.6.8 to 4.6.10, 4.8.3).
 *
 *               cancelled: Stop                      Set Dequeue           done
 *   FLOWING ----------------------> STOPPING ----------------> PLACING ---------> FLOWING
 *               halted: Reset        | ^                         |
 *                                    +-+ not stopped yet:        +-> something cancelled meanwhile,
 *                                        Stop or Reset                or refused: STOPPING
 *
 * What comes next is decided by what the controller says of the endpoint. Between STOPPING and
 * PLACING, while it does not look, the ring is filled anew with what is left: cancelled transfers
 * are gone, of one that has begun the rest remains. So no block is ever changed that it may read.
 */
#include "xhci.h"

#include <takt/port.h>

#define ATTEMPTS_MAX 8

static void step_locked(struct xhci_endpoint *endpoint, struct usb_transfer **list);

static struct xhci *controller_of(const struct xhci_endpoint *endpoint)
{
    return endpoint->usb->device->controller;
}

static bool has_cancelled(const struct xhci_endpoint *endpoint)
{
    for (const struct usb_transfer *t = endpoint->first; t != NULL; t = t->next)
        if (t->stage == USB_CANCELLED)
            return true;
    return false;
}

/* Of a control endpoint's transfers only the first is taken from the controller: the one before the
 * cancelled one would be done twice. */
static bool must_stop(const struct xhci_endpoint *endpoint)
{
    if (endpoint->usb->type == USB_CONTROL)
        return endpoint->first != NULL && endpoint->first->stage == USB_CANCELLED;
    return has_cancelled(endpoint);
}

static void flow_locked(struct xhci_endpoint *endpoint)
{
    endpoint->state = XHCI_FLOWING;
    if (must_stop(endpoint))
        xhci_stop_locked(endpoint);
    else
        xhci_kick_locked(endpoint);
}

/* The answer to a command of ours. Nobody hears it whose endpoint has been closed meanwhile. */
static void answered_locked(struct xhci_command *command, struct usb_transfer **list)
{
    struct xhci_endpoint *endpoint =
        (struct xhci_endpoint *)(void *)((char *)command - offsetof(struct xhci_endpoint, command));
    if (command->code == 0 || endpoint->state == XHCI_CLOSED)
        return;
    if (endpoint->state == XHCI_PLACING && command->code == CODE_SUCCESS)
        flow_locked(endpoint);
    else
        step_locked(endpoint, list);
}

static void send_locked(struct xhci_endpoint *endpoint, enum xhci_trb_type type,
                        uint64_t parameter, uint32_t flags)
{
    struct xhci_command *command = &endpoint->command;
    command->trb.parameter = parameter;
    command->trb.status = 0;
    command->trb.control = TRB_TYPE(type) | flags | TRB_ENDPOINT(endpoint->dci) |
                           TRB_SLOT(endpoint->usb->device->slot);
    command->done_locked = answered_locked;
    (void)xhci_command_locked(controller_of(endpoint), command); /* else all ends anyway */
}

/* Ends what is cancelled, and what had come to its end when it was stopped. */
static void sort_out_locked(struct xhci_endpoint *endpoint, struct usb_transfer **list)
{
    int cancelled = endpoint->usb->state == USB_CLOSED ? TAKT_EGONE : TAKT_ETIMEOUT;
    struct usb_transfer *next;
    for (struct usb_transfer *t = endpoint->first; t != NULL; t = next) {
        next = t->next;
        bool whole = endpoint->usb->type != USB_CONTROL && t->length > 0 && t->moved == t->length;
        if (whole && endpoint->usb->type != USB_ISOCHRONOUS)
            xhci_retire_locked(endpoint, t, (int)t->moved, list);
        else if (t->stage == USB_CANCELLED)
            xhci_retire_locked(endpoint, t, cancelled, list);
    }
}

static void place_locked(struct xhci_endpoint *endpoint, struct usb_transfer **list)
{
    sort_out_locked(endpoint, list);
    endpoint->state = XHCI_PLACING;
    endpoint->retry = false;
    xhci_ring_start(&endpoint->ring);
    uint64_t start = xhci_ring_address(&endpoint->ring);
    xhci_refill_locked(endpoint);
    send_locked(endpoint, TRB_SET_DEQUEUE, start, 0);
}

/* The endpoint is not to be moved any more: whatever is queued, now or later, ends. */
static void give_up_locked(struct xhci_endpoint *endpoint, struct usb_transfer **list)
{
    usb_counters.strange++;
    xhci_retire_all_locked(endpoint, TAKT_EBUS, list);
    endpoint->state = XHCI_FLOWING;
    if (endpoint->usb->state == USB_OPEN)
        endpoint->usb->state = USB_HALTED;
}

static void stopped_locked(struct xhci_endpoint *endpoint, struct usb_transfer **list)
{
    if (!endpoint->retry || must_stop(endpoint)) {
        place_locked(endpoint, list);
        return;
    }
    xhci_fill_locked(endpoint);
    flow_locked(endpoint);
}

static void step_locked(struct xhci_endpoint *endpoint, struct usb_transfer **list)
{
    endpoint->state = XHCI_STOPPING;
    uint8_t context = xhci_endpoint_context(endpoint);
    if (++endpoint->attempts > ATTEMPTS_MAX || context == CONTEXT_DISABLED)
        give_up_locked(endpoint, list);
    else if (context == CONTEXT_RUNNING)
        send_locked(endpoint, TRB_STOP_ENDPOINT, 0, 0);
    else if (context == CONTEXT_HALTED)
        send_locked(endpoint, TRB_RESET_ENDPOINT, 0, 0);
    else
        stopped_locked(endpoint, list);
}

static void begin_locked(struct xhci_endpoint *endpoint, enum xhci_trb_type type, bool retry)
{
    if (endpoint->state != XHCI_FLOWING)
        return; /* under way; what is to be done shows when the command is answered */
    endpoint->state = XHCI_STOPPING;
    endpoint->attempts = 0;
    endpoint->retry = retry;
    send_locked(endpoint, type, 0, retry ? TRB_PRESERVE : 0);
}

void xhci_stop_locked(struct xhci_endpoint *endpoint)
{
    begin_locked(endpoint, TRB_STOP_ENDPOINT, false);
}

void xhci_reset_locked(struct xhci_endpoint *endpoint, bool retry)
{
    begin_locked(endpoint, TRB_RESET_ENDPOINT, retry);
}
