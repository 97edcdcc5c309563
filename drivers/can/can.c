/*
 * Devices that come for adapters, and go: see adapter.h, and state.c for what they pass through.
 */
#include "adapter.h"

#define PORT_UNKNOWN 0

extern struct takt_can_adapter *const __start_takt_can_adapters[] __attribute__((weak));
extern struct takt_can_adapter *const __stop_takt_can_adapters[] __attribute__((weak));

static void let_go(struct can_state *s)
{
    if (can_presence_becomes(s, CAN_LEAVING) == CAN_PRESENT) {
        takt_endpoint_gone(s->adapter->in);
        if (s->adapter->out != NULL) {
            takt_endpoint_gone(s->adapter->out);
        }
    }
    (void)takt_sem_signal(&s->wake);
    (void)takt_sem_wait(&s->left);
}

/* Of the adapters that have no device: the one that had that of this port, else the first. */
static struct can_state *room_for(const struct can_kind *kind, const struct usb_device *device)
{
    struct can_state *found = NULL;

    for (struct takt_can_adapter *const *a = __start_takt_can_adapters;
         a < __stop_takt_can_adapters; a++) {
        struct can_state *s = (*a)->kind == kind ? can_state_of(*a) : NULL;
        if (s == NULL || s->presence != CAN_ABSENT) {
            continue;
        }
        if (s->port == (device->root_port << 8 | device->hub_port)) {
            return s;
        }
        if (found == NULL || (found->port != PORT_UNKNOWN && s->port == PORT_UNKNOWN)) {
            found = s;
        }
    }
    return found;
}

/* Frames may come from now on, and pipes are read; those that write do so when their channels are
 * on the bus. */
static int open_channels(struct can_state *s)
{
    (void)can_presence_becomes(s, CAN_PRESENT);
    takt_endpoint_ready(s->adapter->in);
    int result = can_reopen(s);
    if (result == TAKT_OK && s->adapter->out != NULL) {
        takt_endpoint_ready(s->adapter->out);
    }
    return result;
}

static int begin(struct can_state *s)
{
    (void)can_presence_becomes(s, CAN_COMING);
    (void)takt_sem_signal(&s->wake); /* it reads from now on */
    int result = s->kind->begin(s);
    if (result == TAKT_OK) {
        can_clock_begin(s);
        result = open_channels(s);
    }
    if (result != TAKT_OK) {
        s->counters.failed++;
        let_go(s);
        return result;
    }
    s->counters.plugged++;
    return TAKT_OK;
}

int can_attach(const struct can_kind *kind, struct usb_device *device,
               struct usb_interface *interface)
{
    struct can_state *s = room_for(kind, device);

    if (s == NULL) {
        return TAKT_ENOSPACE;
    }
    s->device = device;
    s->interface = interface;
    s->in = usb_endpoint_of(device, interface->number, USB_BULK, USB_IN);
    s->out = usb_endpoint_of(device, interface->number, USB_BULK, 0);
    if (s->in == NULL || s->out == NULL) {
        return TAKT_EINVAL;
    }
    s->port = (uint16_t)(device->root_port << 8 | device->hub_port);
    interface->user = s;
    return begin(s);
}

void can_detach(struct usb_device *device, struct usb_interface *interface)
{
    let_go(interface->user);
    usb_release(device);
}
