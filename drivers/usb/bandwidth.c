/*
 * The time periodic endpoints take on the bus (schedule.h). xHCI lets software choose neither the
 * micro-frame nor, for interrupt transfers, the frame, so an endpoint counts in every slot that the
 * controller might put it in; and which ports share a bus is not told, so all of a controller's
 * ports of a speed count as one. What is admitted therefore fits, whatever the controller does.
 */
#include "core.h"
#include "schedule.h"
#include "xhci/xhci.h"

enum bus { FULL, HIGH, SUPER, BUSES };

static struct usb_schedule schedules[XHCI_CONTROLLERS][BUSES];
static struct usb_stream streams[USB_ENDPOINTS];
static struct takt_sem one = TAKT_SEM_BINARY_INIT(1); /* changes them at a time */

static struct usb_schedule *bus_of(const struct usb_device *device)
{
    static const struct usb_timing *const timings[BUSES] = {&usb_full_timing, &usb_high_timing,
                                                            &usb_super_timing};
    enum bus bus = device->speed >= USB_SUPER ? SUPER : device->speed == USB_HIGH ? HIGH : FULL;
    struct usb_schedule *schedule = &schedules[device->controller - xhcis][bus];
    if (schedule->timing == NULL)
        (void)usb_schedule_init(schedule, timings[bus], USB_SLOTS);
    return schedule;
}

static void give(const struct usb_endpoint *endpoint)
{
    struct usb_stream *stream = &streams[endpoint - usb_endpoints];
    if (stream->placed)
        (void)usb_schedule_remove(bus_of(endpoint->device), stream);
}

static int take(const struct usb_endpoint *endpoint)
{
    struct usb_stream *stream = &streams[endpoint - usb_endpoints];
    struct usb_schedule *bus = bus_of(endpoint->device);
    struct usb_wire wire = {endpoint->device->speed, endpoint->type == USB_ISOCHRONOUS,
                            endpoint->address & USB_IN, endpoint->max_packet};
    uint32_t bytes = (uint32_t)endpoint->max_packet * endpoint->per_interval;
    *stream = (struct usb_stream){
        .time_ns = usb_wire_ns(&wire, bytes),
        .interval = usb_interval(endpoint->interval_us * 1000u / bus->timing->slot_ns)};
    return usb_schedule_add(bus, stream) == TAKT_OK ? TAKT_OK : TAKT_EADMIT;
}

int usb_bandwidth_take(struct usb_endpoint *const endpoints[])
{
    int result = TAKT_OK;
    (void)takt_sem_wait(&one);
    for (struct usb_endpoint *const *e = endpoints; *e != NULL && result == TAKT_OK; e++)
        if ((*e)->interval_us > 0)
            result = take(*e);
    for (struct usb_endpoint *const *e = endpoints; *e != NULL && result != TAKT_OK; e++)
        give(*e);
    (void)takt_sem_signal(&one);
    return result;
}

void usb_bandwidth_give(struct usb_endpoint *const endpoints[])
{
    (void)takt_sem_wait(&one);
    for (; *endpoints != NULL; endpoints++)
        give(*endpoints);
    (void)takt_sem_signal(&one);
}
