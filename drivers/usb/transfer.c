/*
 * What class drivers call about transfers. A transfer's way:
 *
 *   IDLE --usb_submit--> QUEUED --retired by the controller's driver--> ENDED --usb_end--> IDLE
 *                          |                                                      done() or wake
 *                          +--usb_cancel--> CANCELLED --retired--> ...
 *
 * A thread that waits leaves only with the unit that usb_end() gives: until then the host may look
 * at the transfer.
 */
#include "../bus/queue.h"
#include "core.h"
#include "xhci/xhci.h"

#include <takt/job.h>
#include <takt/port.h>

static bool packets_fit(const struct usb_transfer *t)
{
    uint32_t most = (uint32_t)t->endpoint->max_packet * t->endpoint->per_interval, sum = 0;
    if (t->packets == NULL || t->packet_count == 0 || t->packet_count > USB_PACKETS_MAX)
        return false;
    for (uint8_t i = 0; i < t->packet_count; i++) {
        if (t->packets[i].length > most)
            return false;
        sum += t->packets[i].length;
    }
    return sum <= t->length;
}

static bool valid(const struct usb_transfer *t)
{
    if (t->endpoint == NULL || t->length > USB_LENGTH_MAX || (t->data == NULL && t->length > 0))
        return false;
    if (t->endpoint->type == USB_CONTROL)
        return t->length == t->setup.length && t->length <= USB_CONTROL_MAX;
    return t->endpoint->type != USB_ISOCHRONOUS || packets_fit(t);
}

int usb_submit_locked(struct usb_transfer *t, bool *raise)
{
    if (t->endpoint->state == USB_CLOSED)
        return TAKT_EGONE;
    if (t->endpoint->state == USB_HALTED)
        return TAKT_EREFUSED;
    *raise = usb_client_locked(t);
    t->wake = (struct takt_sem)TAKT_SEM_BINARY_INIT(0);
    t->moved = 0;
    t->result = 0;
    t->packets_done = 0;
    t->busy = true;
    int result = xhci_queue_locked(t->endpoint->ring, t);
    if (result != TAKT_OK)
        t->busy = false;
    else if (t->endpoint->ring->fill_again)
        *raise = true; /* nothing else may bring about the service it waits for */
    return result;
}

int usb_submit(struct usb_transfer *transfer)
{
    bool raise = false;
    if (!bus_may_wait())
        return TAKT_ECONTEXT;
    if (transfer->busy)
        return TAKT_EAGAIN;
    if (!valid(transfer))
        return TAKT_EINVAL;
    port_irq_t irq = port_irq_save();
    int result = usb_submit_locked(transfer, &raise);
    port_irq_restore(irq);
    if (raise)
        usb_raise();
    return result;
}

void usb_end(struct usb_transfer *list)
{
    takt_time_t now = port_now();
    while (list != NULL) {
        struct usb_transfer *t = list;
        list = t->next;
        void (*done)(struct usb_transfer *) = t->done;
        t->at = now;
        t->stage = USB_IDLE;
        t->busy = false; /* its owner may use it anew from here on */
        if (done != NULL)
            done(t);
        else
            (void)takt_sem_signal(&t->wake);
    }
}

int usb_cancel(struct usb_transfer *transfer)
{
    if (port_in_isr())
        return TAKT_ECONTEXT;
    port_irq_t irq = port_irq_save();
    if (transfer->busy && transfer->stage == USB_QUEUED) {
        struct xhci_endpoint *ring = transfer->endpoint->ring;
        transfer->stage = USB_CANCELLED;
        if (transfer->endpoint->type != USB_CONTROL || ring->first == transfer)
            xhci_stop_locked(ring);
    }
    port_irq_restore(irq);
    return TAKT_OK;
}

int usb_wait(struct usb_transfer *transfer, uint32_t timeout_us)
{
    if (!bus_may_wait())
        return TAKT_ECONTEXT;
    if (timeout_us == 0 || timeout_us > TAKT_DURATION_MAX || transfer->done != NULL)
        return TAKT_EINVAL;
    if (takt_sem_wait_for(&transfer->wake, timeout_us) != TAKT_ETIMEOUT)
        return transfer->result;
    usb_counters.timeouts++;
    (void)usb_cancel(transfer);
    while (takt_sem_wait_for(&transfer->wake, XHCI_ABORT_US) == TAKT_ETIMEOUT)
        xhci_watch(transfer->endpoint->device->controller);
    return transfer->result;
}

/* Submits what is to be waited for. */
static int move(struct usb_transfer *transfer, uint32_t timeout_us)
{
    if (!bus_may_wait())
        return TAKT_ECONTEXT;
    if (timeout_us == 0 || timeout_us > TAKT_DURATION_MAX)
        return TAKT_EINVAL;
    takt_begin_whole_call(); /* the host knows the transfer */
    int result = usb_submit(transfer);
    if (result == TAKT_OK)
        result = usb_wait(transfer, timeout_us);
    takt_end_whole_call();
    return result;
}

int usb_control(struct usb_device *device, const struct usb_setup *setup, void *data,
                uint32_t timeout_us)
{
    struct usb_transfer transfer = {.endpoint = &device->control,
                                    .data = data,
                                    .length = setup->length,
                                    .setup = *setup};
    return move(&transfer, timeout_us);
}

int usb_move(struct usb_endpoint *endpoint, void *data, uint32_t length, uint32_t timeout_us)
{
    struct usb_transfer transfer = {.endpoint = endpoint, .data = data, .length = length};
    if (endpoint->type == USB_CONTROL || endpoint->type == USB_ISOCHRONOUS)
        return TAKT_EINVAL;
    return move(&transfer, timeout_us);
}

/* The device's side of it, which may miss the first request. */
static int clear_feature(const struct usb_endpoint *endpoint)
{
    enum { ENDPOINT_HALT = 0, TO_ENDPOINT = 2, ATTEMPTS = 3 };
    struct usb_setup clear = {TO_ENDPOINT, REQUEST_CLEAR_FEATURE, ENDPOINT_HALT, endpoint->address,
                              0};
    int result = TAKT_EBUS;
    for (int i = 0; i < ATTEMPTS && result < 0; i++) {
        result = usb_control(endpoint->device, &clear, NULL, USB_CONTROL_US);
        if (result == TAKT_EGONE || result == TAKT_ECONTEXT)
            break;
    }
    return result;
}

int usb_clear_halt(struct usb_endpoint *endpoint)
{
    struct usb_endpoint *const one[] = {endpoint, NULL};
    if (endpoint->type == USB_CONTROL || endpoint->state == USB_CLOSED)
        return endpoint->state == USB_CLOSED ? TAKT_EGONE : TAKT_EINVAL;
    if (endpoint->ring->first != NULL)
        return TAKT_EAGAIN;
    int result = clear_feature(endpoint);
    if (result >= 0)
        result = xhci_change_endpoints(endpoint->device, one, one);
    if (result >= 0 || result == TAKT_ECONTEXT)
        return result;
    usb_reset_device(endpoint->device);
    return TAKT_EGONE;
}
