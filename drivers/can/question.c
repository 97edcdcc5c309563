/*
 * The question to an adapter, one at a time: asked by a thread, answered or refused by what the RX
 * thread reads. An answer that comes too late has another number or transid, and is not taken.
 */
#include "adapter.h"

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
