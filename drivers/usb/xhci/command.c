/*
 * Commands (xHCI 1.2, 4.6). The controller has one at a time, the first of a queue; the next
 * follows when it has been answered. So an answer is to that one or to none, and one that hangs is
 * known.
 *
 *   answered                       over, the next one
 *   not within XHCI_COMMAND_US     the controller is told to abort it (failure.c), which it
 *                                  acknowledges by stopping its ring: over, the ring begins anew
 */
#include "../../bus/queue.h"
#include "xhci.h"

#include <takt/port.h>
#include <takt/time.h>

/* The first of the queue goes to the controller. */
static void issue_locked(struct xhci *x)
{
    struct xhci_command *command = x->first_command;
    if (command == NULL)
        return;
    x->since = takt_now();
    (void)xhci_ring_put(&x->commands, &command->trb, false);
    usb_io_set(x->doorbells, 0);
}

int xhci_command_locked(struct xhci *x, struct xhci_command *command)
{
    if (x->state != XHCI_RUNNING)
        return TAKT_EGONE;
    command->next = NULL;
    command->code = 0;
    if (x->first_command == NULL)
        x->first_command = command;
    else
        x->last_command->next = command;
    x->last_command = command;
    if (x->first_command == command && !x->aborting)
        issue_locked(x);
    return TAKT_OK;
}

int xhci_run_command(struct xhci *x, struct xhci_command *command)
{
    if (!bus_may_wait())
        return TAKT_ECONTEXT;
    command->done_locked = NULL;
    command->wake = (struct takt_sem)TAKT_SEM_BINARY_INIT(0);
    port_irq_t irq = port_irq_save();
    int result = xhci_command_locked(x, command);
    port_irq_restore(irq);
    if (result != TAKT_OK)
        return result;
    while (takt_sem_wait_for(&command->wake, XHCI_ABORT_US) == TAKT_ETIMEOUT)
        xhci_watch(x);
    return command->code != 0 ? command->code : TAKT_EGONE;
}

/* The first command is over; the next one follows, unless the ring is being stopped. */
static struct xhci_command *over_locked(struct xhci *x, const struct xhci_trb *event,
                                        struct usb_transfer **ended)
{
    struct xhci_command *command = x->first_command;
    x->first_command = command->next;
    bool next = x->first_command != NULL && !x->aborting;
    command->code = TRB_CODE_OF(event->status);
    command->slot = TRB_SLOT_OF(event->control);
    if (command->done_locked != NULL)
        command->done_locked(command, ended); /* may queue it again */
    if (next)
        issue_locked(x);
    return command->done_locked == NULL ? command : NULL;
}

/* Is the event about the first command? */
static bool answers_locked(const struct xhci *x, const struct xhci_trb *event)
{
    uint8_t place = (uint8_t)((x->commands.enqueue + XHCI_RING_ROOM - 1) % XHCI_RING_ROOM);
    return x->first_command != NULL && TRB_CODE_OF(event->status) != 0 &&
           xhci_ring_place(&x->commands, event->parameter) == place;
}

/* The ring has stopped, and with it the command that was to be aborted. */
static struct xhci_command *stopped_locked(struct xhci *x, const struct xhci_trb *event,
                                           struct usb_transfer **ended)
{
    if (!x->aborting) {
        usb_counters.strange++;
        return NULL;
    }
    struct xhci_command *command = NULL;
    if (!x->abort_over && x->first_command != NULL)
        command = over_locked(x, event, ended);
    x->aborting = x->abort_over = false;
    xhci_ring_start(&x->commands);
    xhci_set_address(x->operation + OP_COMMAND_RING, xhci_ring_address(&x->commands));
    issue_locked(x);
    return command;
}

static struct xhci_command *answered_locked(struct xhci *x, const struct xhci_trb *event,
                                            struct usb_transfer **ended)
{
    if (TRB_CODE_OF(event->status) == CODE_RING_STOPPED)
        return stopped_locked(x, event, ended);
    if (!answers_locked(x, event) || x->abort_over) {
        usb_counters.strange++;
        return NULL;
    }
    x->abort_over = x->aborting;
    return over_locked(x, event, ended);
}

void xhci_command_event(struct xhci *x, const struct xhci_trb *event)
{
    struct usb_transfer *ended = NULL;
    port_irq_t irq = port_irq_save();
    struct xhci_command *command = answered_locked(x, event, &ended);
    port_irq_restore(irq);
    if (command != NULL)
        (void)takt_sem_signal(&command->wake);
    usb_end(ended);
}

struct xhci_command *xhci_drop_commands_locked(struct xhci *x)
{
    struct xhci_command *list = x->first_command;
    for (struct xhci_command *c = list; c != NULL; c = c->next)
        c->code = 0;
    x->first_command = NULL;
    x->aborting = x->abort_over = false;
    return list;
}
