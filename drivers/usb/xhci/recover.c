/*
 * Endpoints that have to be stopped, and go on (xHCI 1.2, 4.6.8 to 4.6.10, 4.8.3).
 *
 *               cancelled: Stop                      Set Dequeue           done
 *   FLOWING ----------------------> STOPPING ----------------> PLACING ---------> FLOWING
 *      |        halted: Reset        | ^  ^                      |   |              ^
 *      |                             +-+  +----------------------+   +-> CLEARING --+
 *      |              does not suit the endpoint: another command         (translate.c)
 *      |
 *      +-- halted, to be tried again: Reset that keeps the packet numbers --> FLOWING
 *
 * A command that succeeded says what state the endpoint is in. One that did not suit it says only
 * what state it was not in: the context may be behind, and an endpoint that has been rung for may
 * not run yet, and then begins to after the controller has refused to stop it. So `running` is what
 * the driver knows: true from the doorbell until a command has stopped the endpoint. While it is
 * true and the context says stopped, Stop is tried again at each service, for STOPS_MAX services.
 *
 * Between STOPPING and PLACING, while the controller does not look, the ring is filled anew with
 * what is left: cancelled transfers are gone, of one that has begun the rest remains. So no block
 * is ever changed that it may read.
 */
#include "xhci.h"

#include <takt/port.h>

#define ATTEMPTS_MAX 8
#define STOPS_MAX    20

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

void xhci_flow_locked(struct xhci_endpoint *endpoint)
{
    endpoint->state = XHCI_FLOWING;
    if (must_stop(endpoint))
        xhci_stop_locked(endpoint);
    else
        xhci_kick_locked(endpoint);
}

static void answered_locked(struct xhci_command *command, struct usb_transfer **list);

static void send_locked(struct xhci_endpoint *endpoint, enum xhci_trb_type type,
                        uint64_t parameter)
{
    struct xhci_command *command = &endpoint->command;
    bool keep = type == TRB_RESET_ENDPOINT && endpoint->retry;
    command->trb.parameter = parameter;
    command->trb.status = 0;
    command->trb.control = TRB_TYPE(type) | (keep ? TRB_PRESERVE : 0) |
                           TRB_ENDPOINT(endpoint->dci) | TRB_SLOT(endpoint->usb->device->slot);
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

/* It has stopped: what is left begins anew. */
static void place_locked(struct xhci_endpoint *endpoint, struct usb_transfer **list)
{
    struct usb_transfer *first = endpoint->first;
    if (endpoint->retry && first != NULL && endpoint->came <= first->length - first->moved)
        first->moved += endpoint->came;
    endpoint->retry = false;
    sort_out_locked(endpoint, list);
    endpoint->state = XHCI_PLACING;
    xhci_ring_start(&endpoint->ring);
    uint64_t start = xhci_ring_address(&endpoint->ring);
    xhci_refill_locked(endpoint);
    send_locked(endpoint, TRB_SET_DEQUEUE, start);
}

/* The endpoint is not to be moved any more: whatever is queued, now or later, ends. A device whose
 * control endpoint that is, is of no use before it has been reset. */
static void give_up_locked(struct xhci_endpoint *endpoint, struct usb_transfer **list)
{
    usb_counters.strange++;
    xhci_retire_all_locked(endpoint, TAKT_EBUS, list);
    endpoint->state = XHCI_FLOWING;
    if (endpoint->usb->type == USB_CONTROL)
        usb_reset_device_locked(endpoint->usb->device);
    else if (endpoint->usb->state == USB_OPEN)
        endpoint->usb->state = USB_HALTED;
}

static void stopped_locked(struct xhci_endpoint *endpoint, struct usb_transfer **list)
{
    endpoint->running = endpoint->halted = false;
    if (TRB_TYPE_OF(endpoint->command.trb.control) == TRB_STOP_ENDPOINT)
        endpoint->retry = false; /* it had not halted: how far it came its event has told */
    if (!endpoint->retry || must_stop(endpoint)) {
        place_locked(endpoint, list);
        return;
    }
    endpoint->retry = false;
    xhci_fill_locked(endpoint);
    xhci_flow_locked(endpoint);
}

/* Stop was refused, for the endpoint does not run: not yet? */
static void stop_again_locked(struct xhci_endpoint *endpoint, struct usb_transfer **list)
{
    if (!endpoint->running || ++endpoint->stops > STOPS_MAX) {
        stopped_locked(endpoint, list);
        return;
    }
    endpoint->stop_again = controller_of(endpoint)->again = true;
}

/* A command that does not suit the state the endpoint is in. */
static void refused_locked(struct xhci_endpoint *endpoint, struct usb_transfer **list)
{
    uint32_t type = TRB_TYPE_OF(endpoint->command.trb.control);
    bool stop = type == TRB_STOP_ENDPOINT;
    uint8_t context = xhci_endpoint_context(endpoint);
    endpoint->state = XHCI_STOPPING;
    if (type == TRB_RESET_ENDPOINT)
        endpoint->halted = false; /* whatever the event said */
    if (stop && context == CONTEXT_STOPPED && !endpoint->halted) {
        stop_again_locked(endpoint, list);
    } else if (++endpoint->attempts > ATTEMPTS_MAX || context == CONTEXT_DISABLED) {
        give_up_locked(endpoint, list);
    } else if (context == CONTEXT_ERROR) {
        stopped_locked(endpoint, list);
    } else if (context == CONTEXT_HALTED || (stop && endpoint->halted)) {
        send_locked(endpoint, TRB_RESET_ENDPOINT, 0);
    } else {
        endpoint->running = true;
        send_locked(endpoint, TRB_STOP_ENDPOINT, 0);
    }
}

/* The answer to a command of ours. None hears it if the endpoint has been closed meanwhile. */
static void answered_locked(struct xhci_command *command, struct usb_transfer **list)
{
    struct xhci_endpoint *endpoint =
        (struct xhci_endpoint *)(void *)((char *)command - offsetof(struct xhci_endpoint, command));
    if (command->code == 0 || endpoint->state == XHCI_CLOSED)
        return;
    if (command->code != CODE_SUCCESS)
        refused_locked(endpoint, list);
    else if (endpoint->state != XHCI_PLACING)
        stopped_locked(endpoint, list);
    else if (!xhci_forget_locked(endpoint))
        xhci_flow_locked(endpoint);
}

static void begin_locked(struct xhci_endpoint *endpoint, enum xhci_trb_type type)
{
    if (endpoint->state != XHCI_FLOWING)
        return; /* under way; what is to be done shows when the command is answered */
    endpoint->state = XHCI_STOPPING;
    endpoint->attempts = endpoint->stops = 0;
    send_locked(endpoint, type, 0);
}

void xhci_stop_locked(struct xhci_endpoint *endpoint)
{
    begin_locked(endpoint, TRB_STOP_ENDPOINT);
}

void xhci_reset_locked(struct xhci_endpoint *endpoint, bool retry, uint32_t came)
{
    endpoint->halted = true;
    endpoint->retry = retry;
    endpoint->came = came;
    begin_locked(endpoint, TRB_RESET_ENDPOINT);
}

void xhci_again_locked(struct xhci *x)
{
    x->again = false;
    for (size_t i = 0; i < XHCI_ENDPOINTS; i++) {
        struct xhci_endpoint *endpoint = &xhci_endpoints[i];
        if (endpoint->state == XHCI_CLOSED || controller_of(endpoint) != x)
            continue;
        if (endpoint->fill_again)
            xhci_fill_again_locked(endpoint);
        if (endpoint->stop_again)
            send_locked(endpoint, TRB_STOP_ENDPOINT, 0);
        endpoint->stop_again = false;
    }
}
