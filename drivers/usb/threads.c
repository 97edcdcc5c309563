/*
 * The host's two threads. The bottom half, which serves at most once in USB_SERVICE_US:
 *
 *   waiting --interrupt, USB_SERVICE_US after the last service or later--> service --> rearm
 *      ^    --interrupt before that--> rests until then --> service --> rests --> service ...
 *      |                                                       | nothing has come
 *      +-------------------------------------------------------+--> rearm
 *
 * So events that come now and then are served at once and cost one wake-up each, and a stream of
 * them costs one in USB_SERVICE_US, without interrupts. While the bottom half rests, a call that
 * submits a transfer and is more urgent than those it works for raises it (usb_raise).
 */
#include "core.h"
#include "xhci/xhci.h"

#include <takt/create.h>
#include <takt/port.h>
#include <takt/time.h>

#define WATCH_US 500000u /* how often controllers are asked whether they are well */

struct usb_counters usb_counters;

static const struct takt_thread *client(void)
{
    const struct takt_thread *urgent = __atomic_load_n(&usb_host.urgent, __ATOMIC_RELAXED);
    return urgent != NULL ? urgent : usb_host.devices;
}

uint8_t usb_client_place_locked(void)
{
    return takt_place_of(client());
}

/* The most urgent of the threads that have something on its way. */
static void look_for_clients(void)
{
    port_irq_t irq = port_irq_save();
    uint8_t most = TAKT_NOBODY;
    usb_host.urgent = NULL;
    for (size_t word = 0; word < sizeof xhci_busy / sizeof xhci_busy[0]; word++)
        for (uint32_t left = xhci_busy[word]; left != 0; left &= left - 1) {
            size_t i = 32 * word + (size_t)__builtin_ctz(left);
            const struct takt_thread *client = xhci_endpoints[i].first->client;
            if (client == usb_host.urgent)
                continue;
            uint8_t place = takt_place_of(client);
            if (place < most) {
                most = place;
                usb_host.urgent = client;
            }
        }
    port_irq_restore(irq);
}

static bool serve(void)
{
    bool found = false;
    usb_counters.services++;
    for (size_t i = 0; i < XHCI_CONTROLLERS; i++)
        if (xhci_service(&xhcis[i]))
            found = true;
    return found;
}

/* Lets all controllers interrupt. True: there is something to do already, or one cannot. */
static bool rearm(void)
{
    bool more = false;
    look_for_clients();
    for (size_t i = 0; i < XHCI_CONTROLLERS; i++) {
        const struct xhci *x = &xhcis[i];
        if (xhci_rearm(&xhcis[i]) || (x->state == XHCI_RUNNING && !x->interrupts))
            more = true;
    }
    return more;
}

/* Does the bottom half not yet work for the most urgent thread that has something on its way? */
static bool unserved_locked(void)
{
    const struct takt_io_vcpu *io = usb_host.io;
    uint8_t place = usb_client_place_locked();
    return place != TAKT_NOBODY && !takt_set_has(io->serves | io->serving, place);
}

static void rest_until(takt_time_t at)
{
    port_irq_t irq = port_irq_save();
    usb_host.resting = true; /* from now on calls that submit raise it */
    bool raise = unserved_locked();
    port_irq_restore(irq);
    if (raise)
        usb_raise();
    (void)takt_sleep_until(at);
    usb_host.resting = false;
}

/* Serves until controllers may interrupt again. Returns when it did last. */
static takt_time_t serve_all(takt_time_t last)
{
    bool stream = takt_now() - last < USB_SERVICE_US;
    if (stream)
        rest_until(last + USB_SERVICE_US);
    for (;;) {
        last = takt_now();
        bool found = serve();
        if (!(found && stream) && !rearm())
            return last;
        stream = true;
        rest_until(last + USB_SERVICE_US);
    }
}

void usb_bottom_half(void *arg)
{
    (void)arg;
    takt_time_t last = takt_now() - USB_SERVICE_US;
    for (;;) {
        (void)takt_io_wait(usb_host.io);
        last = serve_all(last);
    }
}

static void look_at_ports(struct xhci *x)
{
    struct usb_port port = {x, NULL, 0, 0};
    while (x->state == XHCI_RUNNING && xhci_port_take_change(x, &port.root_port)) {
        struct usb_change change = xhci_port_acknowledge(x, port.root_port);
        usb_port_changed(&port, &change);
    }
}

/* All devices of a controller that is to be started anew have gone. */
static void start_anew(struct xhci *x)
{
    usb_counters.resets++;
    for (size_t i = 0; i < USB_DEVICES; i++)
        if (usb_devices[i].state != USB_FREE && usb_devices[i].state != USB_GONE &&
            usb_devices[i].controller == x)
            usb_depart(&usb_devices[i]);
    if (xhci_restart(x) == TAKT_OK)
        usb_raise();
    else
        usb_refuse("a controller", "it does not answer any more");
}

void usb_devices_thread(void *arg)
{
    (void)arg;
    usb_host.devices = takt_thread_self();
    usb_host.work = (struct takt_sem)TAKT_SEM_BINARY_INIT(0);
    usb_find_controllers();
    usb_raise();
    for (;;) {
        (void)takt_sem_wait_for(&usb_host.work, WATCH_US);
        for (size_t i = 0; i < XHCI_CONTROLLERS; i++) {
            xhci_watch(&xhcis[i]);
            if (xhcis[i].state == XHCI_DEAD)
                start_anew(&xhcis[i]);
            look_at_ports(&xhcis[i]);
        }
        usb_hubs_look();
    }
}

void usb_work(void)
{
    (void)takt_sem_signal(&usb_host.work);
}

bool usb_client_locked(struct usb_transfer *transfer)
{
    const struct takt_thread *self = takt_thread_self();
    if (self != NULL && self->vcpu != &usb_host.io->server)
        transfer->client = self;
    if (usb_host.urgent != NULL &&
        takt_place_of(usb_host.urgent) <= takt_place_of(transfer->client))
        return false;
    usb_host.urgent = transfer->client;
    return usb_host.resting && unserved_locked();
}

void usb_raise(void)
{
    (void)takt_io_raise(usb_host.io, client());
}
