/*
 * What the controller tells (xHCI 1.2, 4.9.4, 4.17). One event ring of one segment:
 *
 *      [ . . e e e e . . . ]     next_event: the next one of ours; its cycle bit is event_cycle
 *            ^ next_event        if the controller has written it
 *
 * An interrupt makes the interrupter busy, so there is no further one until the bottom half says it
 * is ready (xhci_rearm): at most one top half for each time the bottom half has rested.
 */
#include "xhci.h"

#include <takt/isr.h>
#include <takt/port.h>

void xhci_isr(struct xhci *x)
{
    takt_isr_enter();
    takt_io_raise_isr(usb_host.io, usb_client_place_locked());
    takt_io_isr_exit(usb_host.io, x->source);
}

/* The endpoint that an event names, or NULL. */
static struct xhci_endpoint *named_locked(const struct xhci *x, uint32_t control)
{
    uint8_t slot = TRB_SLOT_OF(control), dci = TRB_ENDPOINT_OF(control);
    const struct usb_device *device = slot <= x->slots ? x->devices[slot] : NULL;
    return device != NULL ? xhci_endpoint_at(device, dci) : NULL;
}

static void transfer_event(struct xhci *x, const struct xhci_trb *event)
{
    struct usb_transfer *ended = NULL;
    port_irq_t irq = port_irq_save();
    struct xhci_endpoint *endpoint = named_locked(x, event->control);
    if (endpoint != NULL)
        xhci_judge_locked(endpoint, event, &ended);
    else
        usb_counters.strange++;
    port_irq_restore(irq);
    usb_end(ended);
}

void xhci_take_event(struct xhci *x, const struct xhci_trb *event)
{
    switch (TRB_TYPE_OF(event->control)) {
    case TRB_TRANSFER_EVENT:
        transfer_event(x, event);
        break;
    case TRB_COMMAND_EVENT:
        xhci_command_event(x, event);
        break;
    case TRB_PORT_EVENT:
        xhci_port_event(x, (uint8_t)(event->parameter >> 24));
        break;
    case TRB_HOST_EVENT:
        if (TRB_CODE_OF(event->status) == CODE_RING_FULL)
            usb_counters.ring_full++;
        break;
    case TRB_WRAP_EVENT:
        break;
    default:
        usb_counters.strange++;
        break;
    }
}

static bool waiting(const struct xhci *x)
{
    const struct xhci_trb *event = &x->memory->events[x->next_event];
    return (__atomic_load_n(&event->control, __ATOMIC_ACQUIRE) & TRB_CYCLE) == x->event_cycle;
}

/* Up to here the ring is the controller's again. `ready`: it may interrupt. */
static void give_back(struct xhci *x, uint32_t ready)
{
    uint64_t next = usb_dma_address(&x->memory->events[x->next_event]);
    usb_io_set(x->runtime + RUN_DEQUEUE, (uint32_t)next | ready);
    usb_io_set(x->runtime + RUN_DEQUEUE + 4, (uint32_t)(next >> 32));
}

static void take_next(struct xhci *x)
{
    struct xhci_trb event = x->memory->events[x->next_event];
    if (++x->next_event == XHCI_EVENTS) {
        x->next_event = 0;
        x->event_cycle = !x->event_cycle;
    }
    if (x->next_event % (XHCI_EVENTS / 4) == 0)
        give_back(x, 0);
    xhci_take_event(x, &event);
}

/* While served, the controller is not started anew. */
static bool begin_service(struct xhci *x)
{
    port_irq_t irq = port_irq_save();
    x->served = x->state == XHCI_RUNNING;
    port_irq_restore(irq);
    return x->served;
}

bool xhci_service(struct xhci *x)
{
    bool found = false;
    if (!begin_service(x))
        return false;
    if (x->again) {
        port_irq_t irq = port_irq_save();
        xhci_again_locked(x);
        port_irq_restore(irq);
    }
    while (waiting(x) && x->state == XHCI_RUNNING) {
        take_next(x);
        found = true;
    }
    if (found)
        give_back(x, 0);
    x->served = false;
    return found;
}

bool xhci_rearm(struct xhci *x)
{
    bool more = false;
    if (!begin_service(x))
        return false;
    if (x->interrupts) {
        usb_io_set(x->operation + OP_STATUS, STATUS_EVENT);
        usb_io_set(x->runtime + RUN_MANAGEMENT, MANAGEMENT_ENABLE | MANAGEMENT_PENDING);
        give_back(x, DEQUEUE_BUSY);
        more = waiting(x);
    }
    more = more || x->again;
    x->served = false;
    return more;
}
