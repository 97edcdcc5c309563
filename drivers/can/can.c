/*
 * Adapters and the devices that come for them: see adapter.h.
 *
 *   ABSENT --attach--> COMING --it answers--> PRESENT --detach--> LEAVING --RX thread--> ABSENT
 *                         \-------------it does not----------------^
 *
 * Only the RX thread says that no thread is left: when no transfer is on its way and no thread
 * between can_enter() and can_leave(). A thread that waits for an answer then is woken.
 */
#include "adapter.h"

#include <takt/time.h>

#define PORT_UNKNOWN 0

_Static_assert(sizeof(struct can_state) <= CAN_ROOM_BYTES, "adapters have more room");

extern struct takt_can_adapter *const __start_takt_can_adapters[] __attribute__((weak));
extern struct takt_can_adapter *const __stop_takt_can_adapters[] __attribute__((weak));

static void state_init(struct can_state *s, struct takt_can_adapter *adapter)
{
    s->adapter = adapter;
    s->kind = adapter->kind;
    s->wake = (struct takt_sem)TAKT_SEM_BINARY_INIT(0);
    s->wake_send = (struct takt_sem)TAKT_SEM_BINARY_INIT(0);
    s->left = (struct takt_sem)TAKT_SEM_BINARY_INIT(0);
    s->setting = (struct takt_sem)TAKT_SEM_BINARY_INIT(1);
    s->ticks_per_us = 1; /* until the adapter says */
    s->question.turn = (struct takt_sem)TAKT_SEM_BINARY_INIT(1);
    s->question.answered = (struct takt_sem)TAKT_SEM_BINARY_INIT(0);
    for (uint32_t i = 0; i < TAKT_CAN_CHANNELS; i++) {
        s->channels[i].ring.slots = TAKT_CAN_FRAMES + 1;
        s->channels[i].readable = (struct takt_sem)TAKT_SEM_BINARY_INIT(0);
    }
    adapter->state = s;
}

struct can_state *can_state_of(struct takt_can_adapter *adapter)
{
    port_irq_t irq = port_irq_save();

    if (adapter->state == NULL) {
        state_init(adapter->room, adapter);
    }
    port_irq_restore(irq);
    return adapter->state;
}

static uint8_t presence_becomes(struct can_state *s, enum can_presence presence)
{
    port_irq_t irq = port_irq_save();
    uint8_t before = s->presence;

    s->presence = (uint8_t)presence;
    port_irq_restore(irq);
    return before;
}

int can_enter(struct can_state *s)
{
    port_irq_t irq = port_irq_save();
    bool there = s->presence == CAN_PRESENT;

    s->users = (uint8_t)(s->users + there);
    port_irq_restore(irq);
    return there ? TAKT_OK : TAKT_EGONE;
}

void can_leave(struct can_state *s)
{
    port_irq_t irq = port_irq_save();

    s->users--;
    port_irq_restore(irq);
}

/* Takes a transfer back. Is it still on its way? */
static bool recall(struct usb_transfer *transfer)
{
    if (transfer->busy) {
        (void)usb_cancel(transfer);
    }
    return transfer->busy;
}

static bool anything_left(struct can_state *s)
{
    bool left = s->users > 0;

    for (uint32_t i = 0; i < CAN_READS; i++) {
        left |= recall(&s->reads[i]);
    }
    for (uint32_t i = 0; i < CAN_WRITES; i++) {
        left |= recall(&s->writes[i].transfer);
    }
    left |= recall(&s->question.transfer);
    left |= recall(&s->clock.transfer);
    return left;
}

void can_leave_device(struct can_state *s)
{
    (void)takt_sem_signal(&s->question.answered);
    while (anything_left(s)) {
        (void)takt_sleep(USB_SERVICE_US);
    }
    can_end_reads(s);
    for (uint8_t i = 0; i < TAKT_CAN_CHANNELS; i++) {
        can_give_up(s, i, can_all);
        s->channels[i].state = TAKT_CAN_CLOSED;
        (void)takt_sem_signal(&s->channels[i].readable);
    }
    (void)presence_becomes(s, CAN_ABSENT);
    (void)takt_sem_signal(&s->left);
}

static void let_go(struct can_state *s)
{
    if (presence_becomes(s, CAN_LEAVING) == CAN_PRESENT) {
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
    (void)presence_becomes(s, CAN_PRESENT);
    takt_endpoint_ready(s->adapter->in);
    int result = can_reopen(s);
    if (result == TAKT_OK && s->adapter->out != NULL) {
        takt_endpoint_ready(s->adapter->out);
    }
    return result;
}

static int begin(struct can_state *s)
{
    (void)presence_becomes(s, CAN_COMING);
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

static int answered(struct can_state *s, struct can_question *q)
{
    int result = takt_sem_wait_for(&q->answered, CAN_ANSWER_US);

    if (result == TAKT_OK) {
        return q->open ? TAKT_EGONE : q->refused ? TAKT_EREFUSED : TAKT_OK;
    }
    s->counters.timeouts++;
    return result;
}

int can_ask(struct can_state *s, uint8_t number, uint8_t address, uint16_t transid)
{
    struct can_question *q = &s->question;

    if (s->presence == CAN_LEAVING) {
        return TAKT_EGONE;
    }
    q->number = number;
    q->address = address;
    q->transid = transid;
    q->refused = false;
    q->transfer = (struct usb_transfer){
        .endpoint = s->out, .data = q->data, .length = CAN_COMMAND_BYTES};
    (void)takt_sem_try(&q->answered); /* of one that came too late */
    q->open = number != 0;
    int result = usb_submit(&q->transfer);
    if (result == TAKT_OK) {
        result = usb_wait(&q->transfer, CAN_ANSWER_US);
    }
    if (result >= 0) {
        result = number != 0 ? answered(s, q) : (int)TAKT_OK;
    } else {
        can_write_failed(s, result);
    }
    q->open = false;
    return result;
}

void can_refused(struct can_state *s, uint16_t transid)
{
    struct can_question *q = &s->question;

    s->counters.refused++;
    if (q->open && q->transid == transid) {
        q->refused = true;
        q->open = false;
        (void)takt_sem_signal(&q->answered);
    }
}

bool can_answer(struct can_state *s, uint8_t number, uint8_t address, uint16_t transid,
                const uint8_t *data, uint32_t bytes)
{
    struct can_question *q = &s->question;

    if (!q->open || q->number != number || q->address != address || q->transid != transid) {
        return false;
    }
    for (uint32_t i = 0; i < CAN_COMMAND_BYTES; i++) {
        q->answer[i] = i < bytes ? data[i] : 0;
    }
    q->open = false;
    (void)takt_sem_signal(&q->answered);
    return true;
}
