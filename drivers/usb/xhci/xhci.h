/*
 * An xHCI controller (xHCI 1.2). Private to drivers/usb.
 *
 *   start.c     reset, memory, start            slot.c      devices: slots and their contexts
 *   ring.c      rings (trb.h)                   transfer.c  transfers into rings
 *   command.c   commands, one at a time         event.c     what the controller tells
 *   port.c      the controller's own ports      judge.c     what that means for transfers
 *   failure.c   controllers that do not answer  recover.c   endpoints that have to be stopped
 *                                               translate.c what hubs are to forget then
 */
#ifndef TAKT_XHCI_H
#define TAKT_XHCI_H

#include "../core.h"
#include "registers.h"
#include "trb.h"

/* Bounds; each may be overridden with -D. */
#ifndef XHCI_CONTROLLERS
#define XHCI_CONTROLLERS 2
#endif
#ifndef XHCI_SCRATCHPADS
#define XHCI_SCRATCHPADS 64 /* pages that a controller wants for itself */
#endif
#define XHCI_EVENTS     256u
#define XHCI_PORTS      256u
#define XHCI_CONTEXT_ENDPOINTS 32u
#define XHCI_SPENT      4u
#define XHCI_COMMAND_US 500000u /* a command that takes longer is aborted */
#define XHCI_ABORT_US   100000u /* and then the controller is given up */

enum xhci_state {
    XHCI_ABSENT,
    XHCI_RUNNING,
    XHCI_DYING, /* does not answer; a thread is stopping it */
    XHCI_DEAD,  /* stopped, its transfers have ended; the host's thread starts it anew */
};

/* A command. On the stack of the thread that waits, or part of an endpoint. */
struct xhci_command {
    struct xhci_command *next;
    struct xhci_trb trb;
    /* or NULL: `wake` is given, not locked. Transfers that end are appended to the list. */
    void (*done_locked)(struct xhci_command *command, struct usb_transfer **list);
    struct takt_sem wake;
    uint8_t code, slot; /* of the completion; code 0: the controller has been given up */
};

/* One endpoint's ring and the transfers on their way. Under the kernel's lock. */
struct xhci_endpoint {
    struct usb_endpoint *usb;
    struct xhci_ring ring;
    uint8_t dci;      /* the controller's number for it, 1..31 */
    uint8_t state;    /* enum xhci_endpoint_state */
    uint8_t used;     /* of the ring's room, by all that are queued */
    uint8_t retries;  /* of the first transfer */
    uint8_t attempts; /* to recover */
    uint8_t stops;    /* tried while it did not run yet */
    bool running;     /* it has been rung for since it was last stopped */
    bool halted;      /* an event has said so */
    bool stop_again;  /* Stop is to be tried again at the next service */
    bool retry;       /* recovering: the first transfer goes on, packet numbers are kept */
    uint32_t came;    /* then: bytes of it before the error */
    uint8_t leaves;   /* directions in which its hub has to forget a transaction */
    takt_time_t since; /* its hub was told */
    /* of a bulk endpoint with a limit */
    bool fill_again;  /* something waits for a later service to be put into the ring */
    uint8_t spent_count;
    uint16_t asked;   /* packets that what is in the ring may take */
    struct {
        uint16_t packets;
        takt_time_t until;
    } spent[XHCI_SPENT]; /* no longer in the ring, but within the interval; by time */
    bool missed;      /* isochronous: the controller has left packets out */
    struct usb_transfer *first, *last;
    struct xhci_command command; /* while recovering */
};

enum xhci_endpoint_state {
    XHCI_CLOSED,
    XHCI_FLOWING,  /* the ring has what is queued */
    XHCI_STOPPING, /* the ring is left alone; what is queued now comes when it is filled anew */
    XHCI_PLACING,  /* filled anew, the controller is being told */
    XHCI_CLEARING, /* filled anew, its hub is being told */
};

/* What the controller reads and writes. */
struct xhci_memory {
    struct xhci_trb events[XHCI_EVENTS] __attribute__((aligned(4096)));
    struct xhci_trb commands[XHCI_RING] __attribute__((aligned(1024)));
    uint32_t input[33 * 16] __attribute__((aligned(4096)));
    uint64_t pages[XHCI_SCRATCHPADS] __attribute__((aligned(4096)));
    uint8_t scratchpads[XHCI_SCRATCHPADS][4096] __attribute__((aligned(4096)));
    /* By slot; [0] leads to `pages`. Then of the event ring: address, size. */
    uint64_t contexts[USB_DEVICES + 1] __attribute__((aligned(64)));
    uint64_t segments[2] __attribute__((aligned(64)));
};

struct xhci {
    /* fixed when it has started */
    struct xhci_memory *memory;
    uintptr_t capabilities, operation, runtime, doorbells;
    bool interrupts; /* else it is looked at every USB_SERVICE_US */
    uint8_t source;  /* of its interrupts, for the trace */
    uint8_t ports, slots;
    uint8_t context_words;       /* 8 or 16 */
    uint8_t super[XHCI_PORTS / 8]; /* ports that are SuperSpeed */
    /* the bottom half's */
    uint16_t next_event;
    bool event_cycle;
    /* under the kernel's lock */
    uint8_t state; /* enum xhci_state */
    bool served;   /* the bottom half is at its events */
    bool again;    /* endpoints wait for the next service */
    struct usb_device *devices[USB_DEVICES + 1]; /* by slot */
    uint8_t changed[XHCI_PORTS / 8];
    struct xhci_ring commands;
    struct xhci_command *first_command, *last_command; /* the first is with the controller */
    bool aborting, abort_over; /* the first is being aborted; it is over, the ring not stopped */
    takt_time_t since; /* the first command, or its abortion */
    /* the thread that changes contexts */
    struct takt_sem input;
};

extern struct xhci xhcis[XHCI_CONTROLLERS];
#define XHCI_ENDPOINTS (USB_ENDPOINTS + USB_DEVICES)
extern struct xhci_endpoint xhci_endpoints[XHCI_ENDPOINTS];
/* Those with transfers, by index. Locked. */
extern uint32_t xhci_busy[(XHCI_ENDPOINTS + 31) / 32];

/* start.c. A controller whose registers are at `registers`. Host's thread, may block for 1 s. Its
 * number, or TAKT_ENOSPACE: no room for another, or it wants too many scratchpads; TAKT_ETIMEOUT:
 * it does not answer; TAKT_EINVAL: it is something else. xhci_restart(): one that is XHCI_DEAD. */
int xhci_start(uintptr_t registers);
int xhci_restart(struct xhci *x);

/* Its message 0 calls xhci_isr() from now on; `source`: its number, for the trace. Before that, it
 * is looked at every USB_SERVICE_US. Thread. */
void xhci_use_interrupts(struct xhci *x, uint8_t source);

/* Its interrupt, bracketed by itself. Interrupt context. O(threads). */
void xhci_isr(struct xhci *x);

/* Waits until (register & mask) == value. TAKT_OK, TAKT_ETIMEOUT, TAKT_EGONE. Thread, may block. */
int xhci_await(uintptr_t at, uint32_t mask, uint32_t value, uint32_t timeout_us);

/* Offset of the next extended capability `id` after offset `from` (0: the first), or 0. */
uint32_t xhci_extended(const struct xhci *x, uint32_t from, uint8_t id);

/* event.c. Bottom half. Takes all events there are; were there any? Then xhci_rearm() lets the
 * controller interrupt again; true: there is one already. */
bool xhci_service(struct xhci *x);
bool xhci_rearm(struct xhci *x);

/* One event, from anywhere: nothing in it is believed. Bottom half. */
void xhci_take_event(struct xhci *x, const struct xhci_trb *event);

/* command.c. Queues a command. Locked; TAKT_EGONE if the controller is not running. */
int xhci_command_locked(struct xhci *x, struct xhci_command *command);
/* Queues it and waits. Thread, may block. Completion code, or TAKT_EGONE. */
int xhci_run_command(struct xhci *x, struct xhci_command *command);
/* The controller's answer. Bottom half. */
void xhci_command_event(struct xhci *x, const struct xhci_trb *event);
/* Takes all commands out of the queue; they are over. Locked. Returns them. */
struct xhci_command *xhci_drop_commands_locked(struct xhci *x);

/* failure.c. Does the controller still answer? Otherwise aborts the command, or ends everything.
 * Thread, may block for 0.2 s. */
void xhci_watch(struct xhci *x);

/* slot.c. Host's thread, or the one that has the device; may block. TAKT_OK, TAKT_ENOSPACE,
 * TAKT_EBUS: what the controller did not want; TAKT_EGONE. */
int xhci_open(struct usb_device *device);
int xhci_set_control_size(struct usb_device *device);
int xhci_set_hub(struct usb_device *device, uint8_t ports, uint8_t think_time, bool multi);
int xhci_change_endpoints(struct usb_device *device, struct usb_endpoint *const drop[],
                          struct usb_endpoint *const add[]); /* NULL ends both */
void xhci_close(struct usb_device *device);

static inline uint8_t xhci_dci(const struct usb_endpoint *endpoint)
{
    uint8_t number = endpoint->address & 0xFu;
    return (uint8_t)(number == 0 ? 1 : 2 * number + (endpoint->address & USB_IN ? 1 : 0));
}

/* The address the controller has given it. Either context. */
uint8_t xhci_address(const struct usb_device *device);

/* The device's open endpoint of that number, or NULL. Locked. */
struct xhci_endpoint *xhci_endpoint_at(const struct usb_device *device, uint8_t dci);

/* What the controller says of an endpoint's state. Either context. */
enum { CONTEXT_DISABLED, CONTEXT_RUNNING, CONTEXT_HALTED, CONTEXT_STOPPED, CONTEXT_ERROR };
uint8_t xhci_endpoint_context(const struct xhci_endpoint *endpoint);

/* port.c. Thread. */
bool xhci_port_connected(struct xhci *x, uint8_t port);
int xhci_port_reset(struct xhci *x, uint8_t port); /* speed */
/* It counts as changed. Locked. */
void xhci_port_look_again_locked(struct xhci *x, uint8_t port);
/* The next port that has changed. */
bool xhci_port_take_change(struct xhci *x, uint8_t *port);
/* Its changes, which have been seen now. */
struct usb_change xhci_port_acknowledge(struct xhci *x, uint8_t port);
/* Bottom half. */
void xhci_port_event(struct xhci *x, uint8_t port);

/* transfer.c. All locked. Queues a transfer: TAKT_OK or TAKT_EOVERFLOW. */
int xhci_queue_locked(struct xhci_endpoint *endpoint, struct usb_transfer *transfer);
/* Puts what is queued and not in the ring there, as far as its limit allows; all of it, into an
 * empty ring. */
void xhci_fill_locked(struct xhci_endpoint *endpoint);
void xhci_refill_locked(struct xhci_endpoint *endpoint);
/* Has the controller look at the ring, if it may. */
void xhci_kick_locked(struct xhci_endpoint *endpoint);
/* The same at the next service, which usb_raise() brings about if nothing else does; and then. */
void xhci_fill_later_locked(struct xhci_endpoint *endpoint);
void xhci_fill_again_locked(struct xhci_endpoint *endpoint);
/* What the ring has of a transfer is done, and there is more of it. */
void xhci_continue_locked(struct xhci_endpoint *endpoint, struct usb_transfer *transfer);
/* Is this block of the ring one of the transfer's? */
bool xhci_holds(const struct usb_transfer *transfer, uint8_t place);
/* Takes a transfer, or all, out of the queue and appends it to a list. */
void xhci_retire_locked(struct xhci_endpoint *endpoint, struct usb_transfer *transfer, int result,
                        struct usb_transfer **list);
void xhci_retire_all_locked(struct xhci_endpoint *endpoint, int result,
                            struct usb_transfer **list);

/* judge.c. An event of an endpoint; transfers that have ended are appended to the list. Locked. */
void xhci_judge_locked(struct xhci_endpoint *endpoint, const struct xhci_trb *event,
                       struct usb_transfer **list);

/* recover.c. Begins to stop an endpoint, because something has been cancelled or it has halted;
 * `retry`: the first transfer, of which so many bytes came, is to be tried again. Then
 * xhci_flow_...: it goes on. xhci_again_...: what had to wait for a service. Locked. */
void xhci_stop_locked(struct xhci_endpoint *endpoint);
void xhci_reset_locked(struct xhci_endpoint *endpoint, bool retry, uint32_t came);
void xhci_flow_locked(struct xhci_endpoint *endpoint);
void xhci_again_locked(struct xhci *x);

/* translate.c. The hub that translates for a slow device behind it, or NULL. Either context. */
struct usb_device *xhci_translator(const struct usb_device *device);
/* An error has halted the endpoint: what does that leave in the hub? Locked. */
void xhci_leaves_locked(struct xhci_endpoint *endpoint, uint8_t code);
/* Tells the hub to forget that; false: there is nothing to tell, or no hub. Locked. */
bool xhci_forget_locked(struct xhci_endpoint *endpoint);
/* Hubs that do not answer are not waited for any longer. Thread. */
void xhci_watch_translators(struct xhci *x);

#endif
