/*
 * The state of an adapter, and whether its device is there: see adapter.h.
 *
 *   ABSENT --attach--> COMING --it answers--> PRESENT --detach--> LEAVING --RX thread--> ABSENT
 *                         \-------------it does not----------------^
 *
 * The RX thread makes it ABSENT, when no transfer is on its way and no thread between can_enter()
 * and can_leave(). A thread that waits for an answer is woken then.
 */
#include "adapter.h"

_Static_assert(sizeof(struct can_state) <= CAN_ROOM_BYTES, "adapters have more room");

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

uint8_t can_presence_becomes(struct can_state *s, enum can_presence presence)
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
