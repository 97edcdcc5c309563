/*
 * The time endpoints take on the bus (schedule.h), and what keeps to it.
 *
 * Periodic endpoints: the controller asks them, as often as their contexts say. xHCI lets software
 * choose neither the micro-frame nor, for interrupt transfers, the frame, so an endpoint counts in
 * every slot that the controller might put it in (a grain of USB_SLOTS: the order in which streams
 * come is of no account then, and none has a place that it could be moved from); and which ports
 * share a bus is not told, so all of a controller's ports of a speed count as one. A slow device
 * behind a hub that translates counts on the hub's bus, too: a start and a complete split in each
 * micro-frame, of at most SPLIT_BYTES.
 *
 * Bulk endpoints: the controller moves what is in their rings when it likes, so the host keeps to
 * reservations by what it puts there (xhci/transfer.c, `limit`). As long as one endpoint of a bus
 * has a reservation the rest have one, too, of USB_BULK_REST packets a millisecond, or the bound
 * of the first would not hold.
 *
 * Control transfers are not held back: the schedule keeps their share of each slot free (10 or
 * 20 %, USB 2.0, 5.5.4), which callers that submit them are to keep to.
 */
#include "../bus/queue.h"
#include "core.h"
#include "schedule.h"
#include "xhci/xhci.h"

#include <takt/port.h>

#define SPLIT_BYTES 188u /* USB 2.0, 11.18.1 */

enum bus { FULL, HIGH, SUPER, BUSES };

static struct usb_schedule schedules[XHCI_CONTROLLERS][BUSES];
static struct usb_stream streams[USB_ENDPOINTS], splits[USB_ENDPOINTS];
static struct usb_bulk bulks[USB_ENDPOINTS];
static bool reserved[USB_ENDPOINTS];               /* not just the rest */
static struct takt_sem one = TAKT_SEM_BINARY_INIT(1); /* changes them at a time */

static struct usb_schedule *schedule_of(const struct usb_device *device, enum bus bus)
{
    static const struct usb_timing *const timings[BUSES] = {&usb_full_timing, &usb_high_timing,
                                                            &usb_super_timing};
    struct usb_schedule *schedule = &schedules[device->controller - xhcis][bus];
    if (schedule->timing == NULL)
        (void)usb_schedule_init(schedule, timings[bus], USB_SLOTS);
    return schedule;
}

static struct usb_schedule *bus_of(const struct usb_device *device)
{
    enum bus bus = device->speed >= USB_SUPER ? SUPER : device->speed == USB_HIGH ? HIGH : FULL;
    return schedule_of(device, bus);
}

static struct usb_wire wire_of(const struct usb_endpoint *endpoint)
{
    return (struct usb_wire){endpoint->device->speed, endpoint->type == USB_ISOCHRONOUS,
                             endpoint->address & USB_IN, endpoint->max_packet};
}

static uint16_t slots_in(const struct usb_schedule *bus, uint32_t us)
{
    uint64_t slots = (uint64_t)us * 1000u / bus->timing->slot_ns;
    return slots <= USB_SLOTS ? (uint16_t)slots : 0;
}

/* --- periodic --- */

static int add(struct usb_schedule *bus, struct usb_stream *stream, uint32_t time_ns,
               const struct usb_endpoint *endpoint)
{
    uint32_t interval = endpoint->interval_us * 1000u / bus->timing->slot_ns;
    *stream = (struct usb_stream){.time_ns = time_ns, .interval = usb_interval(interval)};
    return usb_schedule_add(bus, stream) == TAKT_OK ? TAKT_OK : TAKT_EADMIT;
}

static int take_stream(const struct usb_endpoint *endpoint)
{
    size_t i = (size_t)(endpoint - usb_endpoints);
    struct usb_wire wire = wire_of(endpoint);
    uint32_t bytes = (uint32_t)endpoint->max_packet * endpoint->per_interval;
    int result = add(bus_of(endpoint->device), &streams[i], usb_wire_ns(&wire, bytes), endpoint);
    if (result != TAKT_OK || xhci_translator(endpoint->device) == NULL)
        return result;
    wire.speed = USB_HIGH;
    uint32_t split_ns = 2u * usb_wire_ns(&wire, bytes < SPLIT_BYTES ? bytes : SPLIT_BYTES);
    return add(schedule_of(endpoint->device, HIGH), &splits[i], split_ns, endpoint);
}

/* --- bulk --- */

/* From now on the endpoint keeps to it. */
static void limit(struct usb_endpoint *endpoint, uint32_t packets, uint32_t every_us)
{
    port_irq_t irq = port_irq_save();
    endpoint->limit = (uint16_t)packets;
    endpoint->every_us = every_us;
    if (endpoint->ring != NULL && endpoint->ring->first != NULL)
        xhci_fill_later_locked(endpoint->ring);
    port_irq_restore(irq);
}

static int reserve(struct usb_endpoint *endpoint, uint32_t packets, uint32_t every_us,
                   uint16_t within)
{
    struct usb_bulk *bulk = &bulks[endpoint - usb_endpoints];
    struct usb_schedule *bus = bus_of(endpoint->device);
    struct usb_wire wire = wire_of(endpoint);
    *bulk = (struct usb_bulk){.packets = packets,
                              .packet_ns = usb_wire_ns(&wire, endpoint->max_packet),
                              .interval = slots_in(bus, every_us),
                              .within = within};
    int result = usb_schedule_reserve(bus, bulk);
    if (result == TAKT_OK)
        limit(endpoint, packets, every_us);
    return result;
}

static int take_rest(struct usb_endpoint *endpoint)
{
    return reserve(endpoint, USB_BULK_REST, USB_SERVICE_US, USB_SLOTS);
}

static void lift(struct usb_endpoint *endpoint)
{
    size_t i = (size_t)(endpoint - usb_endpoints);
    if (bulks[i].placed)
        (void)usb_schedule_release(bus_of(endpoint->device), &bulks[i]);
    reserved[i] = false;
    limit(endpoint, 0, 0);
}

/* Is the endpoint a bulk endpoint of that bus, and does it have a share of it? */
static bool on(size_t i, const struct usb_schedule *bus)
{
    const struct usb_endpoint *e = &usb_endpoints[i];
    return e->device != NULL && e->type == USB_BULK && bus_of(e->device) == bus;
}

static bool any_reserved(const struct usb_schedule *bus)
{
    for (size_t i = 0; i < USB_ENDPOINTS; i++)
        if (on(i, bus) && reserved[i])
            return true;
    return false;
}

/* Where there is no reservation there is no limit. */
static void lift_rests(const struct usb_schedule *bus)
{
    if (any_reserved(bus))
        return;
    for (size_t i = 0; i < USB_ENDPOINTS; i++)
        if (on(i, bus))
            lift(&usb_endpoints[i]);
}

static int take_rests(const struct usb_schedule *bus)
{
    int result = TAKT_OK;
    for (size_t i = 0; i < USB_ENDPOINTS && result == TAKT_OK; i++)
        if (on(i, bus) && !bulks[i].placed)
            result = take_rest(&usb_endpoints[i]);
    return result;
}

/* As it was before. It fits, as it did. */
static void restore(struct usb_endpoint *endpoint, const struct usb_bulk *before,
                    uint32_t every_us, bool was_reserved)
{
    lift(endpoint);
    if (before->placed)
        (void)reserve(endpoint, before->packets, every_us, before->within);
    reserved[endpoint - usb_endpoints] = was_reserved;
    lift_rests(bus_of(endpoint->device));
}

static int change(struct usb_endpoint *endpoint, uint32_t bytes, uint32_t every_us,
                  uint32_t within_us)
{
    size_t i = (size_t)(endpoint - usb_endpoints);
    struct usb_schedule *bus = bus_of(endpoint->device);
    struct usb_bulk before = bulks[i];
    uint32_t before_us = endpoint->every_us;
    bool was_reserved = reserved[i];
    lift(endpoint);
    int result = TAKT_OK;
    if (bytes > 0) {
        uint32_t packets = (bytes + endpoint->max_packet - 1u) / endpoint->max_packet;
        uint16_t within = slots_in(bus, within_us);
        result = packets > UINT16_MAX ? TAKT_EINVAL : reserve(endpoint, packets, every_us, within);
        reserved[i] = result == TAKT_OK;
    }
    if (result == TAKT_OK && any_reserved(bus))
        result = take_rests(bus);
    if (result != TAKT_OK) {
        restore(endpoint, &before, before_us, was_reserved && bytes > 0);
        return bytes > 0 ? result : TAKT_OK; /* what it had is its rest */
    }
    lift_rests(bus);
    return TAKT_OK;
}

int usb_reserve(struct usb_endpoint *endpoint, uint32_t bytes, uint32_t every_us,
                uint32_t within_us)
{
    if (!bus_may_wait())
        return TAKT_ECONTEXT;
    if (endpoint->type != USB_BULK)
        return TAKT_EINVAL;
    (void)takt_sem_wait(&one);
    int result = endpoint->device == NULL || endpoint->state == USB_CLOSED
                     ? TAKT_EGONE
                     : change(endpoint, bytes, every_us, within_us);
    (void)takt_sem_signal(&one);
    usb_raise();
    return result;
}

/* --- of a device --- */

static void give(struct usb_endpoint *endpoint)
{
    size_t i = (size_t)(endpoint - usb_endpoints);
    if (streams[i].placed)
        (void)usb_schedule_remove(bus_of(endpoint->device), &streams[i]);
    if (splits[i].placed)
        (void)usb_schedule_remove(schedule_of(endpoint->device, HIGH), &splits[i]);
    lift(endpoint);
}

static int take(struct usb_endpoint *endpoint)
{
    if (endpoint->interval_us > 0)
        return take_stream(endpoint);
    if (endpoint->type == USB_BULK && any_reserved(bus_of(endpoint->device)))
        return take_rest(endpoint);
    return TAKT_OK;
}

int usb_bandwidth_take(struct usb_endpoint *const endpoints[])
{
    int result = TAKT_OK;
    (void)takt_sem_wait(&one);
    for (struct usb_endpoint *const *e = endpoints; *e != NULL && result == TAKT_OK; e++)
        result = take(*e);
    for (struct usb_endpoint *const *e = endpoints; *e != NULL && result != TAKT_OK; e++)
        give(*e);
    (void)takt_sem_signal(&one);
    return result == TAKT_OK ? TAKT_OK : TAKT_EADMIT;
}

void usb_bandwidth_give(struct usb_endpoint *const endpoints[])
{
    (void)takt_sem_wait(&one);
    for (struct usb_endpoint *const *e = endpoints; *e != NULL; e++) {
        give(*e);
        lift_rests(bus_of((*e)->device));
    }
    (void)takt_sem_signal(&one);
    usb_raise();
}
