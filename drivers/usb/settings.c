/*
 * Which endpoints a device has: those of each interface's current setting. The bus must have time
 * for them, and the controller learns of them before the device does (xHCI 1.2, 4.3.5).
 */
#include "core.h"
#include "xhci/xhci.h"

#include <takt/port.h>

static struct usb_endpoint *const nothing[] = {NULL};

static void forget(struct usb_endpoint *const made[])
{
    port_irq_t irq = port_irq_save();
    for (; *made != NULL; made++)
        (*made)->device = NULL;
    port_irq_restore(irq);
}

/* Opens endpoints: on the bus, and at the controller. */
static int open(struct usb_device *device, struct usb_endpoint *const made[])
{
    int result = usb_bandwidth_take(made);
    if (result == TAKT_OK)
        result = xhci_change_endpoints(device, nothing, made);
    return result;
}

static void close(struct usb_endpoint *const made[])
{
    usb_bandwidth_give(made);
    forget(made);
}

/* Opens `count` endpoints that have been taken from the pool, unless that has gone wrong already:
 * then, or if this does, they go back. */
static int open_made(struct usb_device *device, struct usb_endpoint *made[], size_t count,
                     int result)
{
    made[count] = NULL;
    if (result == TAKT_OK)
        result = open(device, made);
    if (result != TAKT_OK)
        close(made);
    return result;
}

int usb_configure(struct usb_device *device)
{
    struct usb_endpoint *made[USB_ENDPOINTS_MAX + 1] = {NULL};
    size_t count = 0;
    int result = TAKT_OK;
    for (uint8_t i = 0; i < device->interface_count && result == TAKT_OK; i++)
        result = usb_endpoints_new(device, &device->interfaces[i], made, &count);
    result = open_made(device, made, count, result);
    if (result != TAKT_OK)
        return result;
    struct usb_setup set = {0, REQUEST_SET_CONFIGURATION, device->configuration_value, 0, 0};
    result = usb_control(device, &set, NULL, USB_CONTROL_US);
    return result < 0 ? result : TAKT_OK;
}

static struct usb_interface *interface_of(struct usb_device *device, uint8_t number)
{
    for (uint8_t i = 0; i < device->interface_count; i++)
        if (device->interfaces[i].number == number)
            return &device->interfaces[i];
    return NULL;
}

/* The endpoints an interface has now; < 0: all interfaces. */
static void list(const struct usb_device *device, int number, struct usb_endpoint *has[])
{
    size_t count = 0;
    for (size_t i = 0; i < USB_ENDPOINTS; i++)
        if (usb_endpoints[i].device == device &&
            (number < 0 || usb_endpoints[i].interface == number))
            has[count++] = &usb_endpoints[i];
    has[count] = NULL;
}

void usb_settle(struct usb_device *device)
{
    struct usb_endpoint *all[USB_ENDPOINTS + 1];
    list(device, -1, all);
    usb_bandwidth_give(all);
}

int usb_set_interface(struct usb_device *device, uint8_t number, uint8_t alternate)
{
    enum { TO_INTERFACE = 1 };
    struct usb_endpoint *before[USB_ENDPOINTS + 1], *made[USB_ENDPOINTS_MAX + 1];
    struct usb_interface *interface = interface_of(device, number), setting;
    size_t count = 0;
    if (interface == NULL || usb_parse_setting(device, number, alternate, &setting) != TAKT_OK)
        return TAKT_EINVAL;
    list(device, number, before);
    int result = xhci_change_endpoints(device, before, nothing);
    if (result != TAKT_OK)
        return result;
    close(before);
    result = usb_endpoints_new(device, &setting, made, &count);
    result = open_made(device, made, count, result);
    if (result != TAKT_OK)
        return result;
    interface->alternate = alternate;
    interface->endpoint_count = setting.endpoint_count;
    interface->descriptor = setting.descriptor;
    struct usb_setup set = {TO_INTERFACE, REQUEST_SET_INTERFACE, alternate, number, 0};
    result = usb_control(device, &set, NULL, USB_CONTROL_US);
    if (result >= 0)
        return TAKT_OK;
    if (xhci_change_endpoints(device, made, nothing) == TAKT_OK)
        close(made); /* else the device goes, and they with it */
    return result;
}
