/*
 * Devices as the controller sees them: slots and their contexts (xHCI 1.2, 4.3, 4.6, 6.2). An input
 * context tells it what is to change: a word of endpoints to drop, one of what is added, then the
 * contexts themselves, of 32 or 64 bytes each:
 *
 *   | drop, add | slot | control endpoint | 1 OUT | 1 IN | 2 OUT | ...
 *        0         1            2             3       4      5        context's index
 */
#include "../../bus/queue.h"
#include "xhci.h"

#include <takt/port.h>
#include <takt/time.h>

#include <string.h>

#define SLOT_HUB    0x04000000u
#define SLOT_MULTI  0x02000000u
#define ROUTE_MASK  0xFFFFFu
#define ADD_SLOT    0x1u
#define ADD_CONTROL 0x2u
#define RETRIES     3u

struct xhci_endpoint xhci_endpoints[XHCI_ENDPOINTS];
static _Alignas(1024) struct xhci_trb rings[XHCI_ENDPOINTS][XHCI_RING];
static _Alignas(2048) uint32_t contexts[USB_DEVICES][XHCI_CONTEXT_ENDPOINTS * 16];

/* Of each device those that are open, by the controller's number; number - 1 as index. */
static struct xhci_endpoint *open_endpoints[USB_DEVICES][XHCI_CONTEXT_ENDPOINTS - 1];

struct xhci_endpoint *xhci_endpoint_at(const struct usb_device *device, uint8_t dci)
{
    struct xhci_endpoint *found = dci > 0 ? open_endpoints[device - usb_devices][dci - 1] : NULL;
    return found != NULL && found->state != XHCI_CLOSED ? found : NULL;
}

static uint32_t *context_of(const struct usb_device *device)
{
    return contexts[device - usb_devices];
}

static uint32_t *input(const struct xhci *x, uint8_t index)
{
    return x->memory->input + (size_t)index * x->context_words;
}

uint8_t xhci_endpoint_context(const struct xhci_endpoint *endpoint)
{
    const struct usb_device *device = endpoint->usb->device;
    const uint32_t *context =
        context_of(device) + (size_t)endpoint->dci * device->controller->context_words;
    return __atomic_load_n(context, __ATOMIC_ACQUIRE) & 7u;
}

uint8_t xhci_address(const struct usb_device *device)
{
    return (uint8_t)(context_of(device)[3] & 0xFFu);
}

/* An endpoint gets its ring, empty. The controller will have it running at once. */
static void make_ring(struct usb_endpoint *usb)
{
    size_t i = usb->address == 0 ? USB_ENDPOINTS + (size_t)(usb->device - usb_devices)
                                 : (size_t)(usb - usb_endpoints);
    struct xhci_endpoint *endpoint = &xhci_endpoints[i];
    port_irq_t irq = port_irq_save();
    memset(endpoint, 0, sizeof *endpoint);
    endpoint->usb = usb;
    endpoint->dci = xhci_dci(usb);
    endpoint->ring.trbs = rings[i];
    xhci_ring_start(&endpoint->ring);
    endpoint->state = XHCI_FLOWING;
    endpoint->running = true;
    open_endpoints[usb->device - usb_devices][endpoint->dci - 1] = endpoint;
    usb->ring = endpoint;
    port_irq_restore(irq);
}

/* It takes transfers, unless its device has gone meanwhile. */
static void open_ring(struct usb_endpoint *usb)
{
    port_irq_t irq = port_irq_save();
    if (usb->device->state < USB_GOING)
        usb->state = USB_OPEN;
    port_irq_restore(irq);
}

static void close_ring(struct usb_endpoint *usb)
{
    port_irq_t irq = port_irq_save();
    usb->state = USB_CLOSED;
    if (usb->ring != NULL) {
        usb->ring->state = XHCI_CLOSED;
        open_endpoints[usb->device - usb_devices][usb->ring->dci - 1] = NULL;
    }
    port_irq_restore(irq);
}

/* The controller's number for a kind of endpoint. */
static uint32_t type_of(const struct usb_endpoint *endpoint)
{
    static const uint8_t out[] = {4, 1, 2, 3};
    bool in = endpoint->type != USB_CONTROL && endpoint->address & USB_IN;
    return out[endpoint->type] + (in ? 4u : 0u);
}

/* 125 us times 2 to the power of this. */
static uint32_t interval_of(const struct usb_endpoint *endpoint)
{
    uint32_t exponent = 0;
    while (exponent < 15 && 125u << exponent < endpoint->interval_us)
        exponent++;
    return endpoint->interval_us > 0 ? exponent : 0;
}

static void describe(uint32_t *context, const struct usb_endpoint *endpoint)
{
    bool periodic = endpoint->interval_us > 0;
    uint32_t burst = endpoint->burst;
    uint32_t payload = periodic ? (uint32_t)endpoint->max_packet * endpoint->per_interval : 0;
    uint32_t average = endpoint->type == USB_CONTROL ? 8 : periodic ? payload : 1024;
    uint32_t mult = periodic && endpoint->type == USB_ISOCHRONOUS &&
                            endpoint->device->speed >= USB_SUPER
                        ? endpoint->per_interval / (burst + 1u) - 1u
                        : 0;
    uint32_t retries = endpoint->type == USB_ISOCHRONOUS ? 0 : RETRIES;
    uint64_t ring = xhci_ring_address(&endpoint->ring->ring);
    context[0] = mult << 8 | interval_of(endpoint) << 16 | payload >> 16 << 24;
    context[1] = retries << 1 | type_of(endpoint) << 3 | burst << 8 |
                 (uint32_t)endpoint->max_packet << 16;
    context[2] = (uint32_t)ring;
    context[3] = (uint32_t)(ring >> 32);
    context[4] = (average & 0xFFFFu) | payload << 16;
}

/* No other thread changes contexts until end_input(). Empties the input context. */
static int begin_input(struct xhci *x)
{
    if (!bus_may_wait())
        return TAKT_ECONTEXT;
    (void)takt_sem_wait(&x->input);
    memset(x->memory->input, 0, sizeof x->memory->input);
    return TAKT_OK;
}

static int what(int code)
{
    if (code < 0 || code == CODE_SUCCESS)
        return code < 0 ? code : TAKT_OK;
    if (code == CODE_BANDWIDTH)
        return TAKT_EADMIT;
    return code == CODE_NO_SLOTS || code == CODE_RESOURCE ? TAKT_ENOSPACE : TAKT_EBUS;
}

static int command(struct usb_device *device, enum xhci_trb_type type, uint64_t parameter)
{
    struct xhci_command c = {
        .trb = {parameter, 0, TRB_TYPE(type) | TRB_SLOT(device->slot)}};
    return what(xhci_run_command(device->controller, &c));
}

/* Has the input context taken, and lets other threads at it. */
static int end_input(struct usb_device *device, enum xhci_trb_type type)
{
    struct xhci *x = device->controller;
    int result = command(device, type, usb_dma_address(x->memory->input));
    (void)takt_sem_signal(&x->input);
    return result;
}

static void describe_slot(uint32_t *slot, const struct usb_device *device)
{
    const struct usb_device *hub = xhci_translator(device);
    slot[0] = (device->hub_port < 15 ? device->hub_port : 15u) | (uint32_t)device->speed << 20 |
              1u << 27;
    slot[1] = (uint32_t)device->root_port << 16;
    if (hub != NULL) {
        slot[0] |= context_of(hub)[0] & SLOT_MULTI;
        slot[2] = hub->slot | (uint32_t)device->hub_port << 8;
    }
}

static int enable_slot(struct usb_device *device)
{
    struct xhci *x = device->controller;
    struct xhci_command c = {.trb = {0, 0, TRB_TYPE(TRB_ENABLE_SLOT)}};
    int result = what(xhci_run_command(x, &c));
    if (result != TAKT_OK)
        return result;
    if (c.slot == 0 || c.slot > x->slots || x->devices[c.slot] != NULL)
        return TAKT_EBUS;
    memset(context_of(device), 0, sizeof contexts[0]);
    port_irq_t irq = port_irq_save();
    device->slot = c.slot;
    x->devices[c.slot] = device;
    x->memory->contexts[c.slot] = usb_dma_address(context_of(device));
    port_irq_restore(irq);
    return TAKT_OK;
}

static void disable_slot(struct usb_device *device)
{
    struct xhci *x = device->controller;
    (void)command(device, TRB_DISABLE_SLOT, 0);
    port_irq_t irq = port_irq_save();
    x->devices[device->slot] = NULL;
    x->memory->contexts[device->slot] = 0;
    device->slot = 0;
    port_irq_restore(irq);
}

int xhci_open(struct usb_device *device)
{
    struct xhci *x = device->controller;
    int result = enable_slot(device);
    if (result != TAKT_OK)
        return result;
    make_ring(&device->control);
    result = begin_input(x);
    if (result == TAKT_OK) {
        input(x, 0)[1] = ADD_SLOT | ADD_CONTROL;
        describe_slot(input(x, 1), device);
        describe(input(x, 2), &device->control);
        result = end_input(device, TRB_ADDRESS_DEVICE);
    }
    if (result == TAKT_OK)
        open_ring(&device->control);
    else
        xhci_close(device);
    return result;
}

int xhci_set_control_size(struct usb_device *device)
{
    struct xhci *x = device->controller;
    int result = begin_input(x);
    if (result != TAKT_OK)
        return result;
    input(x, 0)[1] = ADD_CONTROL;
    describe(input(x, 2), &device->control);
    return end_input(device, TRB_EVALUATE_CONTEXT);
}

/* The slot context as it is, for `last` as the last endpoint. */
static uint32_t *copy_slot(struct usb_device *device, uint8_t last)
{
    uint32_t *slot = input(device->controller, 1);
    memcpy(slot, context_of(device), 3 * sizeof slot[0]);
    slot[0] = (slot[0] & ~(31u << 27)) | (uint32_t)last << 27;
    input(device->controller, 0)[1] |= ADD_SLOT;
    return slot;
}

int xhci_set_hub(struct usb_device *device, uint8_t ports, uint8_t think_time, bool multi)
{
    int result = begin_input(device->controller);
    if (result != TAKT_OK)
        return result;
    uint32_t *slot = copy_slot(device, (uint8_t)(context_of(device)[0] >> 27));
    slot[0] |= SLOT_HUB | (multi ? SLOT_MULTI : 0);
    slot[1] |= (uint32_t)ports << 24;
    slot[2] |= (uint32_t)think_time << 16;
    return end_input(device, TRB_CONFIGURE_ENDPOINT);
}

/* Takes everything back that is on its way on an endpoint, and waits until it has ended. */
static void quiesce(struct usb_endpoint *usb)
{
    struct xhci_endpoint *endpoint = usb->ring;
    bool busy = endpoint != NULL;
    while (busy) {
        port_irq_t irq = port_irq_save();
        for (struct usb_transfer *t = endpoint->first; t != NULL; t = t->next)
            t->stage = USB_CANCELLED;
        busy = endpoint->state != XHCI_CLOSED &&
               (endpoint->first != NULL || endpoint->state != XHCI_FLOWING);
        if (busy && endpoint->first != NULL)
            xhci_stop_locked(endpoint);
        port_irq_restore(irq);
        if (busy) {
            (void)takt_sleep(USB_SERVICE_US);
            xhci_watch(usb->device->controller);
        }
    }
}

/* The last endpoint that is open when the change has been made. */
static uint8_t last_endpoint(const struct usb_device *device, struct usb_endpoint *const add[])
{
    uint8_t last = XHCI_CONTEXT_ENDPOINTS - 1;
    while (last > 1 && open_endpoints[device - usb_devices][last - 1] == NULL)
        last--;
    for (; *add != NULL; add++)
        if (xhci_dci(*add) > last)
            last = xhci_dci(*add);
    return last;
}

int xhci_change_endpoints(struct usb_device *device, struct usb_endpoint *const drop[],
                          struct usb_endpoint *const add[])
{
    struct xhci *x = device->controller;
    for (struct usb_endpoint *const *e = drop; *e != NULL; e++) {
        port_irq_t irq = port_irq_save();
        (*e)->state = USB_CLOSED;
        port_irq_restore(irq);
        quiesce(*e);
        close_ring(*e);
    }
    int result = begin_input(x);
    if (result != TAKT_OK)
        return result;
    for (struct usb_endpoint *const *e = drop; *e != NULL; e++)
        input(x, 0)[0] |= 1u << xhci_dci(*e);
    for (struct usb_endpoint *const *e = add; *e != NULL; e++) {
        make_ring(*e);
        input(x, 0)[1] |= 1u << xhci_dci(*e);
        describe(input(x, (uint8_t)(1 + xhci_dci(*e))), *e);
    }
    (void)copy_slot(device, last_endpoint(device, add));
    result = end_input(device, TRB_CONFIGURE_ENDPOINT);
    for (struct usb_endpoint *const *e = add; *e != NULL; e++)
        if (result == TAKT_OK)
            open_ring(*e);
        else
            close_ring(*e);
    return result;
}

void xhci_close(struct usb_device *device)
{
    port_irq_t irq = port_irq_save();
    usb_device_lost_locked(device);
    port_irq_restore(irq);
    quiesce(&device->control);
    for (size_t i = 0; i < USB_ENDPOINTS; i++)
        if (usb_endpoints[i].device == device)
            quiesce(&usb_endpoints[i]);
    if (device->slot != 0)
        disable_slot(device);
    close_ring(&device->control);
    for (size_t i = 0; i < USB_ENDPOINTS; i++)
        if (usb_endpoints[i].device == device)
            close_ring(&usb_endpoints[i]);
}
