/*
 * Hubs (USB 2.0, 11; USB 3.2, 10), one level of them: what hangs on a hub's port is enumerated as
 * on one of the controller's. A hub tells by an interrupt transfer which ports have changed.
 */
#include "core.h"
#include "xhci/xhci.h"

#include <takt/port.h>
#include <takt/time.h>

#ifndef USB_HUBS
#define USB_HUBS 4
#endif
#define PORTS_MAX   15u /* a hop of the way to a device is four bits */
#define RESET_US    500000u
#define LOOK_US     10000u
#define RECOVER_US  10000u
#define TO_HUB      0x20u
#define TO_PORT     0x23u

enum { /* features of ports */
    RESETTED = 4,
    POWERED = 8,
    C_CONNECTED = 16,
    C_ENABLED = 17,
    C_SUSPENDED = 18,
    C_OVERCURRENT = 19,
    C_RESET = 20,
    C_LINK = 25,
    C_CONFIG = 26,
    C_WARM = 29,
};
enum { SET_HUB_DEPTH = 12, DESCRIPTOR_HUB = 0x29, DESCRIPTOR_SUPER_HUB = 0x2A };

#define IS_CONNECTED 0x1u
#define IS_ENABLED   0x2u
#define IS_LOW       0x200u
#define IS_HIGH      0x400u
#define CHANGED(feature) (1u << (feature))

struct hub {
    struct usb_device *device; /* NULL: free */
    uint8_t ports;
    volatile bool heard; /* `change` has what has changed; or it has ended with an error */
    bool first;          /* all ports are to be looked at */
    struct usb_transfer transfer;
    uint8_t change[4];
    volatile uint16_t again; /* ports to be looked at all the same */
};
static struct hub hubs[USB_HUBS];

static int feature(struct usb_device *device, uint8_t request, uint16_t which, uint8_t port)
{
    struct usb_setup setup = {TO_PORT, request, which, port, 0};
    return usb_control(device, &setup, NULL, USB_CONTROL_US);
}

/* Status in the lower, changes in the upper half. */
static int port_status(struct usb_device *device, uint8_t port, uint32_t *status)
{
    uint8_t raw[4] = {0};
    struct usb_setup get = {TO_PORT | USB_IN, REQUEST_GET_STATUS, 0, port, sizeof raw};
    int result = usb_control(device, &get, raw, USB_CONTROL_US);
    *status = raw[0] | (uint32_t)raw[1] << 8 | (uint32_t)raw[2] << 16 | (uint32_t)raw[3] << 24;
    return result < 0 ? result : result < 4 ? TAKT_EBUS : TAKT_OK;
}

bool usb_hub_connected(const struct usb_port *port)
{
    uint32_t status;
    return port_status(port->hub, port->hub_port, &status) == TAKT_OK && status & IS_CONNECTED;
}

static int speed_of(const struct usb_port *port, uint32_t status)
{
    if (port->hub->speed >= USB_SUPER)
        return USB_SUPER;
    return status & IS_LOW ? USB_LOW : status & IS_HIGH ? USB_HIGH : USB_FULL;
}

int usb_hub_reset(const struct usb_port *port)
{
    uint32_t status = 0;
    int result = feature(port->hub, REQUEST_SET_FEATURE, RESETTED, port->hub_port);
    for (uint32_t waited = 0; result >= 0 && waited < RESET_US; waited += LOOK_US) {
        (void)takt_sleep(LOOK_US);
        result = port_status(port->hub, port->hub_port, &status);
        if (result < 0 || !(status & IS_CONNECTED))
            return result < 0 ? result : TAKT_EGONE;
        if (status & CHANGED(C_RESET))
            break;
    }
    if (result < 0)
        return result;
    (void)feature(port->hub, REQUEST_CLEAR_FEATURE, C_RESET, port->hub_port);
    (void)takt_sleep(RECOVER_US);
    return status & IS_ENABLED ? speed_of(port, status) : TAKT_EBUS;
}

static void acknowledge(struct usb_device *device, uint8_t port, uint32_t status)
{
    static const uint8_t usb2[] = {C_CONNECTED, C_ENABLED, C_SUSPENDED, C_OVERCURRENT, C_RESET};
    static const uint8_t super[] = {C_CONNECTED, C_OVERCURRENT, C_RESET};
    bool is_super = device->speed >= USB_SUPER;
    const uint8_t *features = is_super ? super : usb2;
    size_t count = is_super ? sizeof super : sizeof usb2;
    for (size_t i = 0; i < count; i++)
        if (status & CHANGED(features[i]))
            (void)feature(device, REQUEST_CLEAR_FEATURE, features[i], port);
    if (!is_super)
        return;
    if (status & 1u << 22) /* SuperSpeed's own bits lie elsewhere than their features' numbers */
        (void)feature(device, REQUEST_CLEAR_FEATURE, C_LINK, port);
    if (status & 1u << 23)
        (void)feature(device, REQUEST_CLEAR_FEATURE, C_CONFIG, port);
    if (status & 1u << 21)
        (void)feature(device, REQUEST_CLEAR_FEATURE, C_WARM, port);
}

static void look_at_port(struct hub *hub, uint8_t number)
{
    struct usb_device *device = hub->device;
    struct usb_port port = {device->controller, device, device->root_port, number};
    uint32_t status;
    if (port_status(device, number, &status) != TAKT_OK)
        return;
    acknowledge(device, number, status);
    bool plug = status & CHANGED(C_CONNECTED) || !(status & IS_CONNECTED);
    struct usb_change change = {plug, plug || !(status & IS_ENABLED)};
    usb_port_changed(&port, &change);
}

void usb_hub_look_again_locked(struct usb_device *device, uint8_t port)
{
    for (size_t i = 0; i < USB_HUBS; i++)
        if (hubs[i].device == device)
            hubs[i].again |= (uint16_t)(1u << port);
}

/* Bottom half. */
static void heard(struct usb_transfer *transfer)
{
    struct hub *hub = transfer->user;
    hub->heard = true;
    usb_work();
}

static void listen(struct hub *hub)
{
    if (usb_submit(&hub->transfer) == TAKT_EREFUSED &&
        usb_clear_halt(hub->transfer.endpoint) == TAKT_OK)
        (void)usb_submit(&hub->transfer);
}

/* What has changed of the hub itself (USB 2.0, 11.24.2.6). Where too much current is over its ports
 * have no power any more. */
static void look_at_hub(struct hub *hub)
{
    enum { C_LOCAL_POWER, C_OVER_CURRENT, OVER_CURRENT_NOW = 2 };
    uint8_t raw[4] = {0};
    struct usb_setup get = {TO_HUB | USB_IN, REQUEST_GET_STATUS, 0, 0, sizeof raw};
    if (usb_control(hub->device, &get, raw, USB_CONTROL_US) != sizeof raw)
        return;
    for (uint16_t change = C_LOCAL_POWER; change <= C_OVER_CURRENT; change++) {
        struct usb_setup clear = {TO_HUB, REQUEST_CLEAR_FEATURE, change, 0, 0};
        if (raw[2] >> change & 1)
            (void)usb_control(hub->device, &clear, NULL, USB_CONTROL_US);
    }
    if (raw[2] >> C_OVER_CURRENT & 1 && !(raw[0] & OVER_CURRENT_NOW))
        for (uint8_t port = 1; port <= hub->ports; port++)
            (void)feature(hub->device, REQUEST_SET_FEATURE, POWERED, port);
}

static void look(struct hub *hub)
{
    bool all = hub->first || (hub->heard && hub->transfer.result <= 0);
    bool told = hub->first || hub->heard;
    port_irq_t irq = port_irq_save();
    uint32_t ports = hub->again;
    hub->again = 0;
    port_irq_restore(irq);
    for (size_t i = 0; hub->heard && i < 2; i++)
        ports |= (uint32_t)hub->change[i] << 8 * i;
    hub->first = hub->heard = false;
    if (ports & 1)
        look_at_hub(hub);
    for (uint8_t port = 1; port <= hub->ports && hub->device->state == USB_HERE; port++)
        if (all || ports >> port & 1)
            look_at_port(hub, port);
    if (told && hub->device->state == USB_HERE)
        listen(hub);
}

void usb_hubs_look(void)
{
    for (size_t i = 0; i < USB_HUBS; i++)
        if (hubs[i].device != NULL && (hubs[i].first || hubs[i].heard || hubs[i].again != 0))
            look(&hubs[i]);
}

/* Reads the hub's descriptor: how many ports, and how long until they have power. */
static int describe(struct usb_device *device, uint8_t *ports, uint32_t *power_us,
                    uint8_t *think_time)
{
    uint8_t raw[12] = {0};
    bool is_super = device->speed >= USB_SUPER;
    uint16_t type = is_super ? DESCRIPTOR_SUPER_HUB : DESCRIPTOR_HUB;
    uint16_t bytes = is_super ? sizeof raw : 9;
    struct usb_setup get = {TO_HUB | USB_IN, REQUEST_GET_DESCRIPTOR, (uint16_t)(type << 8), 0,
                            bytes};
    int result = usb_control(device, &get, raw, USB_CONTROL_US);
    if (result < 0)
        return result;
    if (result < 7 || raw[1] != type || raw[2] == 0 || raw[2] > PORTS_MAX)
        return TAKT_EINVAL;
    *ports = raw[2];
    *power_us = raw[5] * 2000u;
    *think_time = raw[3] >> 5 & 3u;
    return TAKT_OK;
}

static int power(struct usb_device *device, uint8_t ports, uint32_t power_us)
{
    struct usb_setup depth = {TO_HUB, SET_HUB_DEPTH, 0, 0, 0};
    if (device->speed >= USB_SUPER && usb_control(device, &depth, NULL, USB_CONTROL_US) < 0)
        return TAKT_EBUS;
    for (uint8_t port = 1; port <= ports; port++)
        if (feature(device, REQUEST_SET_FEATURE, POWERED, port) < 0)
            return TAKT_EBUS;
    (void)takt_sleep(power_us);
    return TAKT_OK;
}

static struct hub *free_hub(void)
{
    for (size_t i = 0; i < USB_HUBS; i++)
        if (hubs[i].device == NULL)
            return &hubs[i];
    return NULL;
}

int usb_hub_attach(struct usb_device *device)
{
    struct hub *hub = free_hub();
    struct usb_endpoint *endpoint =
        usb_endpoint_of(device, device->interfaces[0].number, USB_INTERRUPT, USB_IN);
    uint8_t ports, think_time;
    uint32_t power_us;
    if (hub == NULL || device->hub != NULL || endpoint == NULL)
        return TAKT_ENOSPACE;
    int result = describe(device, &ports, &power_us, &think_time);
    if (result == TAKT_OK)
        result = xhci_set_hub(device, ports, think_time, false);
    if (result == TAKT_OK)
        result = power(device, ports, power_us);
    if (result != TAKT_OK)
        return result;
    *hub = (struct hub){.device = device, .ports = ports, .first = true};
    hub->transfer = (struct usb_transfer){.endpoint = endpoint,
                                          .data = hub->change,
                                          .length = (ports + 8u) / 8u,
                                          .done = heard,
                                          .user = hub};
    usb_work();
    return TAKT_OK;
}

void usb_hub_detach(struct usb_device *device)
{
    for (size_t i = 0; i < USB_HUBS; i++)
        if (hubs[i].device == device)
            hubs[i].device = NULL;
}
