/*
 * A controller that does not answer, reports an error, or is not there any more: it is stopped so
 * that it leaves memory alone, then everything that waits for it ends with TAKT_EGONE. The host's
 * thread tells the class drivers and starts it anew.
 *
 *   RUNNING --xhci_watch(): first seen--> DYING --stopped--> DEAD --host's thread--> RUNNING
 *                                                                                     or ABSENT
 */
#include "xhci.h"

#include <takt/port.h>
#include <takt/time.h>

#define HALT_US  20000u  /* 16 ms by the specification */
#define RESET_US 100000u

/* Has the first command had its time, and its abortion, too? Tells the controller to abort. */
static bool hangs_locked(struct xhci *x, takt_time_t now)
{
    if (x->first_command == NULL && !x->aborting)
        return false;
    if (now - x->since < (x->aborting ? XHCI_ABORT_US : XHCI_COMMAND_US))
        return false;
    if (x->aborting)
        return true;
    x->aborting = true;
    x->since = now;
    xhci_set_address(x->operation + OP_COMMAND_RING, RING_ABORT);
    return false;
}

static bool failed(const struct xhci *x)
{
    uint32_t status = usb_io_get(x->operation + OP_STATUS);
    return status & (STATUS_BUS_ERROR | STATUS_ERROR | STATUS_HALTED); /* all, if it is not there */
}

static void stop(const struct xhci *x)
{
    usb_io_set(x->operation + OP_COMMAND, 0);
    (void)xhci_await(x->operation + OP_STATUS, STATUS_HALTED, STATUS_HALTED, HALT_US);
    usb_io_set(x->operation + OP_COMMAND, COMMAND_RESET);
    (void)xhci_await(x->operation + OP_COMMAND, COMMAND_RESET, 0, RESET_US);
}

static void end_transfers_locked(const struct xhci *x, struct usb_transfer **ended)
{
    for (uint8_t slot = 1; slot <= x->slots; slot++)
        if (x->devices[slot] != NULL)
            usb_device_lost_locked(x->devices[slot]);
    for (size_t i = 0; i < XHCI_ENDPOINTS; i++) {
        struct xhci_endpoint *endpoint = &xhci_endpoints[i];
        if (endpoint->state == XHCI_CLOSED || endpoint->usb->device->controller != x)
            continue;
        xhci_retire_all_locked(endpoint, TAKT_EGONE, ended);
        endpoint->state = XHCI_CLOSED;
    }
}

static void end_commands(struct xhci_command *list)
{
    while (list != NULL) {
        struct xhci_command *command = list;
        list = command->next;
        if (command->done_locked == NULL)
            (void)takt_sem_signal(&command->wake);
    }
}

static void bury(struct xhci *x)
{
    struct usb_transfer *ended = NULL;
    stop(x);
    port_irq_t irq = port_irq_save();
    end_transfers_locked(x, &ended);
    struct xhci_command *commands = xhci_drop_commands_locked(x);
    x->state = XHCI_DEAD;
    port_irq_restore(irq);
    usb_end(ended);
    end_commands(commands);
    usb_work();
}

void xhci_watch(struct xhci *x)
{
    if (x->state != XHCI_RUNNING)
        return;
    bool broken = failed(x);
    port_irq_t irq = port_irq_save();
    bool mine = x->state == XHCI_RUNNING && (broken || hangs_locked(x, takt_now()));
    if (mine)
        x->state = XHCI_DYING;
    port_irq_restore(irq);
    if (mine)
        bury(x);
    else
        xhci_watch_translators(x);
}
