/*
 * The controller's own ports (xHCI 1.2, 4.19, 5.4.8). Each is either one of USB 2 or one of
 * SuperSpeed; a connector has both. SuperSpeed ports bring their link up by themselves; they are
 * reset all the same, for a device that is found a second time has an address.
 */
#include "xhci.h"

#include <takt/port.h>
#include <takt/time.h>

#define RESET_US   500000u
#define RECOVER_US 10000u /* TRSTRCY: a device is left alone after a reset */

static uintptr_t at(const struct xhci *x, uint8_t port)
{
    return x->operation + OP_PORTS + 16u * (port - 1u);
}

static uint32_t status_of(const struct xhci *x, uint8_t port)
{
    return usb_io_get(at(x, port));
}

/* Writes bits, and nothing else. */
static void set(const struct xhci *x, uint8_t port, uint32_t bits)
{
    usb_io_set(at(x, port), (status_of(x, port) & PORT_KEEP) | bits);
}

static bool is_super(const struct xhci *x, uint8_t port)
{
    return x->super[port / 8] >> port % 8 & 1;
}

static struct usb_device *device_on_locked(const struct xhci *x, uint8_t port)
{
    for (uint8_t slot = 1; slot <= x->slots; slot++)
        if (x->devices[slot] != NULL && x->devices[slot]->root_port == port &&
            x->devices[slot]->hub == NULL)
            return x->devices[slot];
    return NULL;
}

void xhci_port_look_again_locked(struct xhci *x, uint8_t port)
{
    x->changed[port / 8] = (uint8_t)(x->changed[port / 8] | 1u << port % 8);
}

void xhci_port_event(struct xhci *x, uint8_t port)
{
    if (port == 0 || port > x->ports) {
        usb_counters.strange++;
        return;
    }
    bool gone = !(status_of(x, port) & PORT_CONNECTED);
    port_irq_t irq = port_irq_save();
    struct usb_device *device = device_on_locked(x, port);
    if (gone && device != NULL)
        usb_device_lost_locked(device);
    xhci_port_look_again_locked(x, port);
    port_irq_restore(irq);
    usb_work();
}

bool xhci_port_connected(struct xhci *x, uint8_t port)
{
    return status_of(x, port) & PORT_CONNECTED;
}

bool xhci_port_take_change(struct xhci *x, uint8_t *port)
{
    bool found = false;
    port_irq_t irq = port_irq_save();
    for (unsigned i = 1; i <= x->ports && !found; i++) {
        found = x->changed[i / 8] >> i % 8 & 1;
        if (found) {
            x->changed[i / 8] = (uint8_t)(x->changed[i / 8] & ~(1u << i % 8));
            *port = (uint8_t)i;
        }
    }
    port_irq_restore(irq);
    return found;
}

struct usb_change xhci_port_acknowledge(struct xhci *x, uint8_t port)
{
    uint32_t status = status_of(x, port);
    set(x, port, status & PORT_CHANGES);
    bool plug = status & PORT_CHANGED || !(status & PORT_CONNECTED);
    return (struct usb_change){plug, plug || !(status & PORT_ENABLED)};
}

/* Resets the port, warm where the link is lost. */
static int reset(const struct xhci *x, uint8_t port)
{
    uint32_t link = PORT_LINK(status_of(x, port));
    bool lost = is_super(x, port) && (link == LINK_INACTIVE || link == LINK_COMPLIANCE);
    uint32_t done = lost ? PORT_WARM_DONE : PORT_RESET_DONE;
    set(x, port, lost ? PORT_WARM_RESET : PORT_RESET);
    int result = xhci_await(at(x, port), done, done, RESET_US);
    set(x, port, PORT_CHANGES & ~PORT_CHANGED);
    return result;
}

int xhci_port_reset(struct xhci *x, uint8_t port)
{
    set(x, port, PORT_CHANGES);
    int result = reset(x, port);
    if (result != TAKT_OK)
        return result;
    (void)takt_sleep(RECOVER_US);
    uint32_t status = status_of(x, port);
    if (!(status & PORT_CONNECTED))
        return TAKT_EGONE;
    return status & PORT_ENABLED ? (int)PORT_SPEED(status) : TAKT_EBUS;
}
