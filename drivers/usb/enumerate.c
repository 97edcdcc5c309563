/*
 * Devices that come and go (USB 2.0, 7.1.7.3, 9.1.2; xHCI 1.2, 4.3). One that has come:
 *
 *   settled 100 ms -> port reset -> slot, address -> first 8 bytes tell the size of control packets
 *      -> descriptors -> endpoints, configuration -> hub, or class drivers are asked
 *
 * Whatever goes wrong undoes all of it and tries again, ATTEMPTS times; then the port is left alone
 * (`left`) until something else is plugged in.
 */
#include "core.h"
#include "xhci/xhci.h"

#include <takt/port.h>
#include <takt/time.h>

#define ATTEMPTS  3
#define SETTLE_US 100000u /* USB 2.0, 7.1.7.3: TATTDB */
#define LOOK_US   10000u
#define SETTLE_MAX 100 /* looks: a plug that goes on bouncing */
#define ADDRESS_US 10000u /* TDSETADDR is 2 ms */

extern const struct usb_driver *const drivers_start[] __asm__("__start_takt_usb_drivers");
extern const struct usb_driver *const drivers_end[] __asm__("__stop_takt_usb_drivers");
#pragma weak drivers_start
#pragma weak drivers_end

/* Ports that are left alone: by the controller's port, bit 0 that itself, the rest behind its hub.
 * */
static uint16_t left[XHCI_CONTROLLERS][XHCI_PORTS];

static void leave_alone(const struct usb_port *port, bool alone)
{
    uint16_t *ports = &left[port->controller - xhcis][port->root_port];
    uint16_t bit = (uint16_t)(1u << port->hub_port);
    *ports = (uint16_t)(alone ? *ports | bit : *ports & ~bit);
    if (!alone && port->hub_port == 0)
        *ports = 0; /* another hub, or none */
}

static bool is_left(const struct usb_port *port)
{
    return left[port->controller - xhcis][port->root_port] >> port->hub_port & 1;
}

static bool connected(const struct usb_port *port)
{
    return port->hub != NULL ? usb_hub_connected(port)
                             : xhci_port_connected(port->controller, port->root_port);
}

static int reset(const struct usb_port *port)
{
    return port->hub != NULL ? usb_hub_reset(port)
                             : xhci_port_reset(port->controller, port->root_port);
}

/* Has something been plugged in for SETTLE_US without interruption? */
static bool settled(const struct usb_port *port)
{
    uint32_t since = 0;
    for (int i = 0; i < SETTLE_MAX && since < SETTLE_US; i++) {
        (void)takt_sleep(LOOK_US);
        bool there = connected(port);
        if (!there && since == 0 && i > 0)
            return false;
        since = there ? since + LOOK_US : 0;
    }
    return since >= SETTLE_US;
}

int usb_get_descriptor(struct usb_device *device, uint8_t type, void *to, uint16_t bytes)
{
    struct usb_setup get = {USB_IN, REQUEST_GET_DESCRIPTOR, (uint16_t)(type << 8), 0, bytes};
    return usb_control(device, &get, to, USB_CONTROL_US);
}

static int read_device(struct usb_device *device)
{
    uint8_t raw[DEVICE_BYTES] = {0};
    uint16_t assumed = device->control.max_packet;
    int result = usb_get_descriptor(device, DESCRIPTOR_DEVICE, raw, 8);
    if (result < 0)
        return result;
    result = usb_parse_device(device, raw, (size_t)result);
    if (result == TAKT_OK && device->control.max_packet != assumed)
        result = xhci_set_control_size(device);
    if (result != TAKT_OK)
        return result;
    result = usb_get_descriptor(device, DESCRIPTOR_DEVICE, raw, sizeof raw);
    if (result < 0)
        return result;
    return result < DEVICE_BYTES ? TAKT_EINVAL : usb_parse_device(device, raw, sizeof raw);
}

static int read_configuration(struct usb_device *device)
{
    uint8_t *raw = device->configuration;
    int result = usb_get_descriptor(device, DESCRIPTOR_CONFIGURATION, raw, CONFIGURATION_HEAD);
    if (result < 0)
        return result;
    uint16_t all = (uint16_t)(raw[2] | raw[3] << 8);
    if (result < CONFIGURATION_HEAD || all < CONFIGURATION_HEAD)
        return TAKT_EINVAL;
    if (all > USB_CONFIGURATION_BYTES)
        return TAKT_ENOSPACE;
    result = usb_get_descriptor(device, DESCRIPTOR_CONFIGURATION, raw, all);
    if (result < 0)
        return result;
    return result < all ? TAKT_EINVAL : usb_parse_configuration(device, all);
}

/* The size of control packets before the device has told it. */
static uint16_t first_packet(uint8_t speed)
{
    return speed >= USB_SUPER ? 512 : speed == USB_HIGH ? 64 : 8;
}

static int bring_up(struct usb_device *device, const struct usb_port *port, int speed)
{
    device->controller = port->controller;
    device->root_port = port->root_port;
    device->hub = port->hub;
    device->hub_port = port->hub_port;
    device->speed = (uint8_t)speed;
    device->control.max_packet = first_packet(device->speed);
    device->control.per_interval = 1;
    int result = xhci_open(device);
    if (result != TAKT_OK)
        return result;
    (void)takt_sleep(ADDRESS_US);
    result = read_device(device);
    if (result == TAKT_OK)
        result = read_configuration(device);
    return result == TAKT_OK ? usb_configure(device) : result;
}

static void offer(struct usb_device *device, struct usb_interface *interface)
{
    for (const struct usb_driver *const *d = drivers_start; d < drivers_end; d++) {
        if (device->state != USB_HERE || !(*d)->matches(device, interface))
            continue;
        device->users++;
        interface->driver = *d;
        if ((*d)->attach(device, interface) == TAKT_OK)
            return;
        interface->driver = NULL;
        device->users--;
    }
}

static struct usb_name name_of(const struct usb_device *device)
{
    return (struct usb_name){device->vendor, device->product};
}

/* Offers all its interfaces; has one found a driver? */
static bool offer_all(struct usb_device *device)
{
    bool wanted = false;
    for (uint8_t i = 0; i < device->interface_count; i++) {
        offer(device, &device->interfaces[i]);
        wanted = wanted || device->interfaces[i].driver != NULL;
    }
    return wanted;
}

/* It has come: a hub begins to work, other devices are offered to the class drivers. */
static void welcome(struct usb_device *device, const struct usb_port *port)
{
    struct usb_name name = name_of(device);
    port_irq_t irq = port_irq_save();
    if (device->state == USB_COMING)
        device->state = USB_HERE;
    port_irq_restore(irq);
    usb_counters.attached++;
    if (device->class_code == CLASS_HUB) {
        if (usb_hub_attach(device) == TAKT_OK)
            return;
        usb_counters.refused++;
        usb_refuse_device(port, &name, TAKT_ENOSPACE);
    } else if (!offer_all(device) && device->state == USB_HERE) {
        usb_refuse_device(port, &name, TAKT_OK);
    }
}

/* One attempt. TAKT_OK: it has come; TAKT_EINVAL, TAKT_ENOSPACE, TAKT_EADMIT: it is not to. */
static int attempt(const struct usb_port *port, struct usb_name *name)
{
    int speed = reset(port);
    if (speed < USB_FULL || speed > USB_SUPER_PLUS)
        return speed < 0 ? speed : TAKT_EBUS;
    struct usb_device *device = usb_device_new();
    if (device == NULL)
        return TAKT_ENOSPACE;
    int result = bring_up(device, port, speed);
    if (result == TAKT_OK) {
        welcome(device, port);
        return TAKT_OK;
    }
    *name = name_of(device);
    xhci_close(device);
    usb_settle(device);
    usb_device_free(device);
    return result;
}

static void arrive(const struct usb_port *port)
{
    int result = TAKT_EGONE;
    struct usb_name name = {0, 0};
    if (!settled(port))
        return;
    for (int i = 0; i < ATTEMPTS && connected(port); i++) {
        result = attempt(port, &name);
        if (result == TAKT_OK)
            return;
        if (port->controller->state != XHCI_RUNNING)
            return;
    }
    if (!connected(port))
        return;
    leave_alone(port, true);
    usb_refuse_device(port, &name, result);
    if (result == TAKT_EINVAL || result == TAKT_ENOSPACE || result == TAKT_EADMIT)
        usb_counters.refused++;
    else
        usb_counters.failed++;
}

static void detach(struct usb_device *device)
{
    port_irq_t irq = port_irq_save();
    bool unused = device->users == 0;
    device->state = USB_GONE;
    port_irq_restore(irq);
    for (uint8_t i = 0; i < device->interface_count; i++) {
        struct usb_interface *interface = &device->interfaces[i];
        if (interface->driver != NULL)
            interface->driver->detach(device, interface);
    }
    if (unused)
        usb_device_free(device);
}

void usb_depart(struct usb_device *device)
{
    for (size_t i = 0; i < USB_DEVICES; i++)
        if (usb_devices[i].state != USB_FREE && usb_devices[i].state != USB_GONE &&
            usb_devices[i].hub == device)
            usb_depart(&usb_devices[i]);
    xhci_close(device);
    usb_settle(device);
    usb_hub_detach(device);
    usb_counters.detached++;
    detach(device);
}

/* One that is coming or going is looked after already. */
void usb_reset_device_locked(struct usb_device *device)
{
    if (device->state != USB_HERE)
        return;
    usb_device_lost_locked(device);
    usb_counters.reset_devices++;
    if (device->hub != NULL)
        usb_hub_look_again_locked(device->hub, device->hub_port);
    else
        xhci_port_look_again_locked(device->controller, device->root_port);
}

void usb_reset_device(struct usb_device *device)
{
    port_irq_t irq = port_irq_save();
    usb_reset_device_locked(device);
    port_irq_restore(irq);
    usb_work();
}

static struct usb_device *device_on(const struct usb_port *port)
{
    for (size_t i = 0; i < USB_DEVICES; i++) {
        struct usb_device *d = &usb_devices[i];
        if (d->state != USB_FREE && d->state != USB_GONE && d->controller == port->controller &&
            d->root_port == port->root_port && d->hub == port->hub && d->hub_port == port->hub_port)
            return d;
    }
    return NULL;
}

void usb_port_changed(const struct usb_port *port, const struct usb_change *change)
{
    struct usb_device *device = device_on(port);
    if (device != NULL && (change->lost || device->state == USB_GOING)) {
        usb_depart(device);
        device = NULL;
    }
    if (change->plug)
        leave_alone(port, false);
    if (device == NULL && connected(port) && !is_left(port))
        arrive(port);
}
