/*
 * From what the firmware left to a controller that runs (xHCI 1.2, 4.2): take it over, reset it,
 * give it memory, start it. Then every port counts as changed, so what is plugged in already is
 * found.
 */
#include "xhci.h"

#include <takt/port.h>
#include <takt/time.h>

#include <string.h>

#define FIRMWARE_US 1000000u /* it may take so long to let go */
#define RESET_US    1000000u
#define POWER_US    20000u
#define POLL_US     1000u
#define EXTENDED_MAX 64 /* capabilities looked at: the list might be a circle */
#define MODERATION  (USB_SERVICE_US * 4u) /* in 250 ns; where the controller has that, too */
#define PAGE_4096   1u

struct xhci xhcis[XHCI_CONTROLLERS];
static struct xhci_memory memories[XHCI_CONTROLLERS];

int xhci_await(uintptr_t at, uint32_t mask, uint32_t value, uint32_t timeout_us)
{
    takt_time_t began = takt_now();
    for (;;) {
        uint32_t now = usb_io_get(at);
        if (now == STATUS_NOBODY)
            return TAKT_EGONE;
        if ((now & mask) == value)
            return TAKT_OK;
        if (takt_now() - began >= timeout_us)
            return TAKT_ETIMEOUT;
        (void)takt_sleep(POLL_US);
    }
}

uint32_t xhci_extended(const struct xhci *x, uint32_t from, uint8_t id)
{
    uint32_t at = from;
    uint32_t words = from == 0 ? usb_io_get(x->capabilities + CAP_CAPABILITIES) >> 16
                               : usb_io_get(x->capabilities + from) >> 8 & 0xFFu;
    for (int i = 0; i < EXTENDED_MAX && words != 0; i++) {
        at += 4u * words;
        uint32_t head = usb_io_get(x->capabilities + at);
        if ((head & 0xFFu) == id)
            return at;
        words = head >> 8 & 0xFFu;
    }
    return 0;
}

static void take_over(const struct xhci *x)
{
    uint32_t offset = xhci_extended(x, 0, EXTENDED_LEGACY);
    if (offset == 0)
        return;
    uintptr_t at = x->capabilities + offset;
    usb_io_set(at, usb_io_get(at) | LEGACY_SYSTEM);
    if (xhci_await(at, LEGACY_FIRMWARE, 0, FIRMWARE_US) != TAKT_OK)
        usb_io_set(at, (usb_io_get(at) & ~LEGACY_FIRMWARE) | LEGACY_SYSTEM); /* it never will */
    usb_io_set(at + 4, (usb_io_get(at + 4) & LEGACY_KEEP) | LEGACY_EVENTS);
}

static int reset(const struct xhci *x)
{
    usb_io_set(x->operation + OP_COMMAND, 0);
    int result = xhci_await(x->operation + OP_STATUS, STATUS_HALTED, STATUS_HALTED, RESET_US);
    if (result != TAKT_OK)
        return result;
    usb_io_set(x->operation + OP_COMMAND, COMMAND_RESET);
    (void)takt_sleep(POLL_US); /* some do not like to be asked at once */
    result = xhci_await(x->operation + OP_COMMAND, COMMAND_RESET, 0, RESET_US);
    if (result != TAKT_OK)
        return result;
    return xhci_await(x->operation + OP_STATUS, STATUS_NOT_READY, 0, RESET_US);
}

/* Pages for the controller's own use. */
static int give_scratchpads(const struct xhci *x)
{
    uint32_t params = usb_io_get(x->capabilities + CAP_PARAMS2);
    uint32_t pages = (params >> 21 & 0x1Fu) << 5 | params >> 27;
    if (pages > XHCI_SCRATCHPADS || !(usb_io_get(x->operation + OP_PAGE_SIZE) & PAGE_4096))
        return TAKT_ENOSPACE;
    for (uint32_t i = 0; i < pages; i++)
        x->memory->pages[i] = usb_dma_address(x->memory->scratchpads[i]);
    x->memory->contexts[0] = pages > 0 ? usb_dma_address(x->memory->pages) : 0;
    return TAKT_OK;
}

static void give_rings(struct xhci *x)
{
    struct xhci_memory *m = x->memory;
    x->commands.trbs = m->commands;
    xhci_ring_start(&x->commands);
    x->next_event = 0;
    x->event_cycle = true;
    x->again = false;
    m->segments[0] = usb_dma_address(m->events);
    m->segments[1] = XHCI_EVENTS;
    usb_io_set(x->operation + OP_CONFIG, x->slots);
    xhci_set_address(x->operation + OP_CONTEXTS, usb_dma_address(m->contexts));
    xhci_set_address(x->operation + OP_COMMAND_RING, xhci_ring_address(&x->commands));
    usb_io_set(x->runtime + RUN_SEGMENTS, 1);
    xhci_set_address(x->runtime + RUN_DEQUEUE, usb_dma_address(m->events));
    xhci_set_address(x->runtime + RUN_TABLE, usb_dma_address(m->segments));
    usb_io_set(x->runtime + RUN_MODERATION, MODERATION);
}

/* Which ports are SuperSpeed. */
static void read_protocols(struct xhci *x)
{
    uint32_t at = 0;
    memset(x->super, 0, sizeof x->super);
    for (int i = 0; i < EXTENDED_MAX; i++) {
        at = xhci_extended(x, at, EXTENDED_PROTOCOL);
        if (at == 0)
            return;
        bool super = usb_io_get(x->capabilities + at) >> 24 >= 3;
        uint32_t range = usb_io_get(x->capabilities + at + 8);
        uint32_t end = (range & 0xFFu) + (range >> 8 & 0xFFu);
        for (uint32_t port = range & 0xFFu; super && port < end && port < XHCI_PORTS; port++)
            x->super[port / 8] = (uint8_t)(x->super[port / 8] | 1u << port % 8);
    }
}

static void power_ports(const struct xhci *x)
{
    for (uint32_t port = 0; port < x->ports; port++) {
        uintptr_t at = x->operation + OP_PORTS + 16u * port;
        usb_io_set(at, (usb_io_get(at) & PORT_KEEP) | PORT_POWER);
    }
    (void)takt_sleep(POWER_US);
}

static void read_capabilities(struct xhci *x)
{
    uintptr_t at = x->capabilities;
    uint32_t params = usb_io_get(at + CAP_PARAMS1);
    x->operation = at + (usb_io_get(at + CAP_LENGTH) & 0xFFu);
    x->runtime = at + (usb_io_get(at + CAP_RUNTIME) & ~0x1Fu);
    x->doorbells = at + (usb_io_get(at + CAP_DOORBELLS) & ~3u);
    x->ports = (uint8_t)(params >> 24);
    x->slots = (uint8_t)((params & 0xFFu) < USB_DEVICES ? params & 0xFFu : USB_DEVICES);
    x->context_words = usb_io_get(at + CAP_CAPABILITIES) & 4u ? 16 : 8;
}

static void run(struct xhci *x)
{
    uint32_t on = COMMAND_RUN | (x->interrupts ? COMMAND_INTERRUPTS : 0);
    usb_io_set(x->runtime + RUN_MANAGEMENT, x->interrupts ? MANAGEMENT_ENABLE : 0);
    usb_io_set(x->operation + OP_COMMAND, on);
    port_irq_t irq = port_irq_save();
    memset(x->changed, 0xFF, sizeof x->changed);
    x->state = XHCI_RUNNING;
    port_irq_restore(irq);
    usb_work();
}

int xhci_restart(struct xhci *x)
{
    while (x->served)
        (void)takt_sleep(POLL_US);
    memset(x->memory, 0, sizeof *x->memory);
    int result = reset(x);
    if (result == TAKT_OK)
        result = give_scratchpads(x);
    if (result == TAKT_OK) {
        give_rings(x);
        usb_io_set(x->operation + OP_COMMAND, COMMAND_RUN);
        result = xhci_await(x->operation + OP_STATUS, STATUS_HALTED, 0, RESET_US);
    }
    if (result != TAKT_OK) {
        x->state = XHCI_ABSENT;
        return result;
    }
    power_ports(x);
    run(x);
    return TAKT_OK;
}

int xhci_start(uintptr_t registers)
{
    int number = 0;
    while (number < XHCI_CONTROLLERS && xhcis[number].capabilities != 0)
        number++;
    if (number == XHCI_CONTROLLERS)
        return TAKT_ENOSPACE;
    struct xhci *x = &xhcis[number];
    x->capabilities = registers;
    x->memory = &memories[number];
    x->input = (struct takt_sem)TAKT_SEM_BINARY_INIT(1);
    if (usb_io_get(registers) == STATUS_NOBODY)
        return TAKT_EINVAL;
    read_capabilities(x);
    take_over(x);
    read_protocols(x);
    int result = xhci_restart(x);
    return result == TAKT_OK ? number : result;
}

void xhci_use_interrupts(struct xhci *x, uint8_t source)
{
    x->source = source;
    x->interrupts = true;
    run(x);
}
