/*
 * Hubs that translate between high speed and what is slow behind them (USB 2.0, 11.17.5,
 * 11.24.2.3). When a control or bulk transfer ends in an error the hub may still have a transaction
 * of it in a buffer, and would answer the next one with that. So the hub is told to forget it, in
 * the direction of the endpoint, or in both of a control endpoint; until it has answered, at most
 * USB_CONTROL_US, the endpoint is not rung for (XHCI_CLEARING). A request that a device refuses
 * leaves nothing there.
 */
#include "xhci.h"

#include <takt/port.h>
#include <takt/time.h>

#define CLEAR_BUFFER  8u
#define TO_PORT       0x23u
#define TRANSLATOR    1u /* of a hub that has one for all ports; we use no other */
#define FORGET_OUT    1u
#define FORGET_IN     2u

static struct usb_transfer requests[XHCI_ENDPOINTS];

struct usb_device *xhci_translator(const struct usb_device *device)
{
    bool slow = device->speed == USB_FULL || device->speed == USB_LOW;
    return slow && device->hub != NULL && device->hub->speed == USB_HIGH ? device->hub : NULL;
}

void xhci_leaves_locked(struct xhci_endpoint *endpoint, uint8_t code)
{
    const struct usb_endpoint *usb = endpoint->usb;
    if (xhci_translator(usb->device) == NULL)
        return;
    if (usb->type == USB_BULK)
        endpoint->leaves = usb->address & USB_IN ? FORGET_IN : FORGET_OUT;
    else if (usb->type == USB_CONTROL && code != CODE_STALL)
        endpoint->leaves = FORGET_IN | FORGET_OUT;
}

static void forgotten(struct usb_transfer *request)
{
    struct xhci_endpoint *endpoint = request->user;
    port_irq_t irq = port_irq_save();
    if (endpoint->state == XHCI_CLEARING && !xhci_forget_locked(endpoint))
        xhci_flow_locked(endpoint);
    port_irq_restore(irq);
}

bool xhci_forget_locked(struct xhci_endpoint *endpoint)
{
    const struct usb_device *device = endpoint->usb->device;
    struct usb_transfer *request = &requests[endpoint - xhci_endpoints];
    struct usb_device *hub = xhci_translator(device);
    bool in = endpoint->leaves & FORGET_IN, raise;
    if (endpoint->leaves == 0 || hub == NULL || request->busy) {
        endpoint->leaves = 0;
        return false;
    }
    endpoint->leaves &= (uint8_t)~(in ? FORGET_IN : FORGET_OUT);
    uint32_t what = (endpoint->usb->address & 0xFu) | (uint32_t)xhci_address(device) << 4 |
                    (endpoint->usb->type == USB_BULK ? 2u << 11 : 0) | (in ? 1u << 15 : 0);
    *request = (struct usb_transfer){
        .endpoint = &hub->control,
        .setup = {TO_PORT, CLEAR_BUFFER, (uint16_t)what, TRANSLATOR, 0},
        .done = forgotten,
        .user = endpoint,
        .client = usb_host.devices};
    endpoint->since = takt_now();
    endpoint->state = XHCI_CLEARING;
    return usb_submit_locked(request, &raise) == TAKT_OK;
}

void xhci_watch_translators(struct xhci *x)
{
    port_irq_t irq = port_irq_save();
    takt_time_t now = takt_now();
    for (size_t i = 0; i < XHCI_ENDPOINTS; i++) {
        const struct xhci_endpoint *endpoint = &xhci_endpoints[i];
        if (endpoint->state == XHCI_CLEARING && endpoint->usb->device->controller == x &&
            now - endpoint->since >= USB_CONTROL_US)
            (void)usb_cancel(&requests[i]);
    }
    port_irq_restore(irq);
}
