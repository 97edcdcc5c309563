/*
 * What devices say of themselves (USB 2.0, 9.6; USB 3.2, 9.6). Nothing of it is believed: lengths
 * must fit into one another, what cannot be right is refused or left out. Pure: looks at bytes
 * only.
 *
 *   | configuration 9 | interface 9 | of a class .. | endpoint 7 | companion 6 | interface 9 | ...
 *     bytes 2, 3: length of all                       each: byte 0 its length, byte 1 its type
 */
#include "core.h"

#include <string.h>

enum { INTERFACE_BYTES = 9, ENDPOINT_BYTES = 7, COMPANION_BYTES = 6 };

static uint16_t word(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

/* Packets of the control endpoint; 0: impossible. */
static uint16_t control_packet(uint8_t speed, uint8_t said)
{
    if (speed >= USB_SUPER)
        return said == 9 ? 512 : 0;
    if (speed == USB_HIGH)
        return said == 64 ? 64 : 0;
    bool fits = said == 8 || (speed == USB_FULL && (said == 16 || said == 32 || said == 64));
    return fits ? said : 0;
}

int usb_parse_device(struct usb_device *device, const uint8_t *raw, size_t bytes)
{
    if (bytes < 8 || raw[0] < DEVICE_BYTES || raw[1] != DESCRIPTOR_DEVICE)
        return TAKT_EINVAL;
    device->control.max_packet = control_packet(device->speed, raw[7]);
    if (device->control.max_packet == 0)
        return TAKT_EINVAL;
    if (bytes < DEVICE_BYTES)
        return TAKT_OK; /* its beginning */
    if (raw[17] == 0)
        return TAKT_EINVAL; /* no configuration */
    device->class_code = raw[4];
    device->subclass = raw[5];
    device->protocol = raw[6];
    device->vendor = word(raw + 8);
    device->product = word(raw + 10);
    device->version = word(raw + 12);
    return TAKT_OK;
}

/* Is there a whole descriptor at an offset? */
static bool whole(const struct usb_device *device, size_t at)
{
    return at + 2 <= device->configuration_bytes && device->configuration[at] >= 2 &&
           at + device->configuration[at] <= device->configuration_bytes;
}

/* The next descriptor of a type from an offset on; 0: none. */
static size_t next_of(const struct usb_device *device, size_t at, uint8_t type)
{
    for (; whole(device, at); at += device->configuration[at])
        if (device->configuration[at + 1] == type)
            return at;
    return 0;
}

static bool read_interface(const struct usb_device *device, size_t at, struct usb_interface *found)
{
    const uint8_t *raw = device->configuration + at;
    if (raw[0] < INTERFACE_BYTES)
        return false;
    *found = (struct usb_interface){.number = raw[2],
                                    .alternate = raw[3],
                                    .class_code = raw[5],
                                    .subclass = raw[6],
                                    .protocol = raw[7],
                                    .endpoint_count = raw[4],
                                    .descriptor = (uint16_t)at};
    return true;
}

static bool known(const struct usb_device *device, uint8_t number)
{
    for (uint8_t i = 0; i < device->interface_count; i++)
        if (device->interfaces[i].number == number)
            return true;
    return false;
}

/* All interfaces in their first setting. */
static int read_interfaces(struct usb_device *device)
{
    struct usb_interface found;
    device->interface_count = 0;
    for (size_t at = 0; (at = next_of(device, at, DESCRIPTOR_INTERFACE)) != 0;
         at += device->configuration[at]) {
        if (!read_interface(device, at, &found))
            return TAKT_EINVAL;
        if (found.alternate != 0 || known(device, found.number))
            continue;
        if (device->interface_count == USB_INTERFACES)
            return TAKT_ENOSPACE;
        device->interfaces[device->interface_count++] = found;
    }
    return device->interface_count > 0 ? TAKT_OK : TAKT_EINVAL;
}

int usb_parse_configuration(struct usb_device *device, size_t bytes)
{
    const uint8_t *raw = device->configuration;
    device->configuration_bytes = 0;
    if (bytes > USB_CONFIGURATION_BYTES)
        return TAKT_ENOSPACE;
    if (bytes < CONFIGURATION_HEAD || raw[0] < CONFIGURATION_HEAD ||
        raw[1] != DESCRIPTOR_CONFIGURATION || word(raw + 2) != bytes || raw[5] == 0)
        return TAKT_EINVAL;
    size_t at = 0;
    while (at + 2 <= bytes && raw[at] >= 2 && at + raw[at] <= bytes)
        at += raw[at];
    if (at != bytes)
        return TAKT_EINVAL;
    device->configuration_bytes = (uint16_t)bytes;
    device->configuration_value = raw[5];
    return read_interfaces(device);
}

int usb_parse_setting(const struct usb_device *device, uint8_t number, uint8_t alternate,
                      struct usb_interface *found)
{
    for (size_t at = 0; (at = next_of(device, at, DESCRIPTOR_INTERFACE)) != 0;
         at += device->configuration[at])
        if (read_interface(device, at, found) && found->number == number &&
            found->alternate == alternate)
            return TAKT_OK;
    return TAKT_EINVAL;
}

/* The most a packet may have. */
static uint16_t packet_max(uint8_t speed, uint8_t type)
{
    bool periodic = type == USB_ISOCHRONOUS || type == USB_INTERRUPT;
    switch ((enum usb_speed)speed) {
    case USB_LOW:
        return type == USB_INTERRUPT ? 8 : 0;
    case USB_FULL:
        return type == USB_ISOCHRONOUS ? 1023 : 64;
    case USB_HIGH:
        return periodic ? 1024 : 512;
    case USB_SUPER:
    case USB_SUPER_PLUS:
        break;
    }
    return 1024;
}

/* us between two service intervals; 0: impossible. */
static uint32_t interval(uint8_t speed, uint8_t type, uint8_t said)
{
    if (said == 0)
        return 0;
    if (speed >= USB_HIGH)
        return said <= 16 ? 125u << (said - 1) : 0;
    if (type == USB_ISOCHRONOUS)
        return said <= 16 ? 1000u << (said - 1) : 0;
    uint32_t us = 1000;
    while (us * 2 <= said * 1000u)
        us *= 2;
    return us;
}

/* Packets in an interval of a SuperSpeed endpoint, whose companion must follow. */
static bool read_companion(const struct usb_device *device, size_t at, struct usb_endpoint *e)
{
    if (!whole(device, at) || device->configuration[at + 1] != DESCRIPTOR_COMPANION ||
        device->configuration[at] < COMPANION_BYTES || device->configuration[at + 2] > 15)
        return false;
    uint8_t mult = device->configuration[at + 3] & 3u;
    e->burst = device->configuration[at + 2];
    e->per_interval = (uint8_t)(e->burst + 1);
    if (e->type == USB_ISOCHRONOUS)
        e->per_interval = (uint8_t)(e->per_interval * (mult + 1));
    return mult < 3;
}

static bool read_endpoint(const struct usb_device *device, size_t at, struct usb_endpoint *e)
{
    const uint8_t *raw = device->configuration + at;
    if (raw[0] < ENDPOINT_BYTES || (raw[2] & 0xFu) == 0 || raw[2] & 0x70u)
        return false;
    uint16_t size = word(raw + 4);
    e->address = raw[2];
    e->type = raw[3] & 3u;
    e->max_packet = size & 0x7FFu;
    e->per_interval = 1;
    if (e->type == USB_CONTROL || e->max_packet == 0 ||
        e->max_packet > packet_max(device->speed, e->type))
        return false;
    bool periodic = e->type != USB_BULK;
    e->interval_us = periodic ? interval(device->speed, e->type, raw[6]) : 0;
    if (periodic && e->interval_us == 0)
        return false;
    if (device->speed >= USB_SUPER)
        return read_companion(device, at + raw[0], e);
    if (device->speed == USB_HIGH && periodic)
        e->burst = size >> 11 & 3u;
    e->per_interval = (uint8_t)(e->burst + 1);
    return e->burst < 3;
}

bool usb_parse_endpoint(const struct usb_device *device, const struct usb_interface *interface,
                        size_t *from, struct usb_endpoint *endpoint)
{
    size_t at = *from;
    while (whole(device, at)) {
        size_t here = at;
        uint8_t type = device->configuration[here + 1];
        if (type == DESCRIPTOR_INTERFACE && here != interface->descriptor)
            break;
        at += device->configuration[here];
        *endpoint = (struct usb_endpoint){.device = (struct usb_device *)device,
                                          .interface = interface->number};
        if (type == DESCRIPTOR_ENDPOINT && read_endpoint(device, here, endpoint)) {
            *from = at;
            return true;
        }
    }
    *from = at;
    return false;
}

int usb_descriptor(const struct usb_device *device, uint16_t from, uint8_t type)
{
    for (size_t at = from; whole(device, at); at += device->configuration[at]) {
        if (at != from && device->configuration[at + 1] == DESCRIPTOR_INTERFACE &&
            type != DESCRIPTOR_INTERFACE)
            break;
        if (device->configuration[at + 1] == type)
            return (int)at;
    }
    return TAKT_EINVAL;
}
