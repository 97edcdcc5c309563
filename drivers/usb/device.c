/*
 * The pool of devices and of their endpoints. A device leaves the pool in the host's thread and
 * comes back when the last driver has released it:
 *
 *   FREE --new--> COMING --configured--> HERE --lost--> GOING --detached--> GONE --released--> FREE
 */
#include "core.h"
#include "xhci/xhci.h"

#include <takt/port.h>

#include <string.h>

struct usb_device usb_devices[USB_DEVICES];
struct usb_endpoint usb_endpoints[USB_ENDPOINTS];

struct usb_device *usb_device_new(void)
{
    for (size_t i = 0; i < USB_DEVICES; i++)
        if (usb_devices[i].state == USB_FREE) {
            memset(&usb_devices[i], 0, sizeof usb_devices[i]);
            usb_devices[i].state = USB_COMING;
            usb_devices[i].control.device = &usb_devices[i];
            return &usb_devices[i];
        }
    return NULL;
}

void usb_device_free(struct usb_device *device)
{
    port_irq_t irq = port_irq_save();
    for (size_t i = 0; i < USB_ENDPOINTS; i++)
        if (usb_endpoints[i].device == device)
            usb_endpoints[i].device = NULL;
    device->state = USB_FREE;
    port_irq_restore(irq);
}

static struct usb_endpoint *free_endpoint(void)
{
    for (size_t i = 0; i < USB_ENDPOINTS; i++)
        if (usb_endpoints[i].device == NULL)
            return &usb_endpoints[i];
    return NULL;
}

int usb_endpoints_new(struct usb_device *device, const struct usb_interface *interface,
                      struct usb_endpoint *made[], size_t *count)
{
    struct usb_endpoint parsed;
    size_t from = interface->descriptor;
    while (usb_parse_endpoint(device, interface, &from, &parsed)) {
        struct usb_endpoint *endpoint = free_endpoint();
        if (usb_endpoint_at(device, parsed.address) != NULL)
            continue; /* another interface has it */
        if (endpoint == NULL || *count == USB_ENDPOINTS_MAX)
            return TAKT_ENOSPACE;
        port_irq_t irq = port_irq_save();
        *endpoint = parsed;
        port_irq_restore(irq);
        made[(*count)++] = endpoint;
    }
    return TAKT_OK;
}

/* Hubs have devices that go with them. */
void usb_device_lost_locked(struct usb_device *device)
{
    for (size_t i = 0; i < USB_DEVICES; i++)
        if (usb_devices[i].state != USB_FREE && usb_devices[i].state < USB_GOING &&
            usb_devices[i].hub == device)
            usb_device_lost_locked(&usb_devices[i]);
    if (device->state < USB_GOING)
        device->state = USB_GOING;
    device->control.state = USB_CLOSED;
    for (size_t i = 0; i < USB_ENDPOINTS; i++)
        if (usb_endpoints[i].device == device)
            usb_endpoints[i].state = USB_CLOSED;
}

struct usb_endpoint *usb_endpoint_at(struct usb_device *device, uint8_t address)
{
    if ((address & 0xFu) == 0)
        return &device->control;
    for (size_t i = 0; i < USB_ENDPOINTS; i++)
        if (usb_endpoints[i].device == device && usb_endpoints[i].address == address)
            return &usb_endpoints[i];
    return NULL;
}

struct usb_endpoint *usb_endpoint_of(struct usb_device *device, uint8_t interface,
                                     enum usb_type type, uint8_t direction)
{
    for (size_t i = 0; i < USB_ENDPOINTS; i++) {
        struct usb_endpoint *e = &usb_endpoints[i];
        if (e->device == device && e->interface == interface && e->type == type &&
            (e->address & USB_IN) == direction)
            return e;
    }
    return NULL;
}

void usb_release(struct usb_device *device)
{
    port_irq_t irq = port_irq_save();
    bool last = device->users > 0 && --device->users == 0 && device->state == USB_GONE;
    port_irq_restore(irq);
    if (last)
        usb_device_free(device);
}
