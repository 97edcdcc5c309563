/*
 * Frames to the bus: see adapter.h. A frame has a token of its channel from the moment it is taken
 * until the adapter acknowledges it, and no more than the adapter's queue holds have one: so the
 * adapter always takes what is sent to it, and no channel holds up another.
 *
 *   write ------\                           /-- done: the write can be used again
 *                > token, write, submit -->
 *   pipe -> TX -/                           \-- acknowledged by the RX thread: the token is free
 */
#include "adapter.h"

#include <takt/create.h>

void can_retried(struct can_state *s)
{
    port_irq_t irq = port_irq_save();

    s->counters.retried++;
    port_irq_restore(irq);
}

uint32_t can_own_period(void)
{
    const struct takt_thread *self = takt_thread_self();

    return self->vcpu != NULL ? self->vcpu->period : USB_SERVICE_US;
}

static struct can_write *take_write(struct can_state *s)
{
    port_irq_t irq = port_irq_save();
    struct can_write *found = NULL;

    for (uint32_t i = 0; found == NULL && i < CAN_WRITES; i++) {
        if (!s->writes[i].used) {
            found = &s->writes[i];
            found->used = true;
            found->frames = 0;
            found->transfer.length = 0;
        }
    }
    port_irq_restore(irq);
    return found;
}

void can_write_failed(struct can_state *s, int result)
{
    if (result == TAKT_EREFUSED || result == TAKT_EBUS) {
        if (!s->write_halted) {
            can_retried(s);
        }
        s->write_halted = true;
        (void)takt_sem_signal(&s->wake);
    }
}

/* Its frames did not reach the adapter: how many. */
static uint32_t take_back(struct can_write *w)
{
    struct can_channel *c = &w->state->channels[w->channel];
    uint32_t frames = 0;
    bool by_pipe;

    for (uint32_t i = 0; i < w->frames; i++) {
        frames += can_free_token(w->state, c, w->tokens[i], &by_pipe);
    }
    return frames;
}

static void lost(struct can_write *w)
{
    uint32_t frames = take_back(w);

    can_unsent(&w->state->channels[w->channel], frames, w->piped ? frames : 0);
}

/* Where transfers end. */
static void write_done(struct usb_transfer *transfer)
{
    struct can_write *w = transfer->user;
    struct can_state *s = w->state;

    struct takt_pipe *pipe = s->channels[w->channel].out;

    if (transfer->result < 0) {
        lost(w);
        can_write_failed(s, transfer->result);
    } else if (w->piped && pipe != NULL) {
        takt_pipe_sent(pipe, w->frames); /* what is in the adapter waits for the bus, not for us */
    }
    w->used = false;
    (void)takt_sem_signal(&s->wake_send);
}

void can_mend_writes(struct can_state *s)
{
    if (!s->write_halted) {
        return;
    }
    for (uint32_t i = 0; i < CAN_WRITES; i++) {
        if (s->writes[i].transfer.busy) {
            return;
        }
    }
    s->write_halted = s->question.transfer.busy || s->clock.transfer.busy ||
                      usb_clear_halt(s->out) != TAKT_OK;
    (void)takt_sem_signal(&s->wake_send);
}

static void append(struct can_write *w, const struct takt_can_frame *frame, uint32_t token)
{
    const struct can_state *s = w->state;

    w->tokens[w->frames++] = (uint8_t)token;
    w->transfer.length += s->kind->encode(s, w->channel, frame, (uint8_t)token,
                                          w->data + w->transfer.length);
}

static int submit(struct can_write *w)
{
    uint32_t length = w->transfer.length;

    w->transfer = (struct usb_transfer){.endpoint = w->state->out,
                                        .data = w->data,
                                        .length = length,
                                        .done = write_done,
                                        .user = w};
    int result = usb_submit(&w->transfer);
    if (result != TAKT_OK) {
        if (w->piped) {
            lost(w);
        } else {
            (void)take_back(w); /* the caller has it still */
        }
        w->used = false;
        can_write_failed(w->state, result); /* halted: what was sent last has not told of it */
    }
    return result == TAKT_EOVERFLOW || result == TAKT_EREFUSED ? TAKT_EAGAIN : result;
}

static bool valid(const struct takt_can_frame *frame)
{
    uint32_t most = (frame->flags & TAKT_CAN_EXTENDED) != 0 ? 0x1FFFFFFFu : 0x7FFu;

    return frame->length <= 8 && frame->id <= most &&
           (frame->flags & ~(TAKT_CAN_EXTENDED | TAKT_CAN_REMOTE)) == 0;
}

/* May the channel send now? */
static int may_send(const struct can_state *s, const struct can_channel *c)
{
    if (c->bit_rate == 0 || (c->mode & TAKT_CAN_LISTEN_ONLY) != 0) {
        return TAKT_EINVAL;
    }
    if (c->state == TAKT_CAN_BUS_OFF) {
        return TAKT_EBUS;
    }
    return c->state == TAKT_CAN_CLOSED || s->write_halted ? TAKT_EAGAIN : TAKT_OK;
}

static int send_one(struct can_state *s, uint8_t channel, const struct takt_can_frame *frame)
{
    struct can_channel *c = &s->channels[channel];
    int result = may_send(s, c);

    if (result != TAKT_OK) {
        return result;
    }
    struct can_write *w = take_write(s);
    int token = w != NULL ? can_take_token(s, c, false) : TAKT_EAGAIN;
    if (token < 0) {
        if (w != NULL) {
            w->used = false;
        }
        return token;
    }
    w->state = s;
    w->channel = channel;
    w->piped = false;
    append(w, frame, (uint32_t)token);
    return submit(w);
}

int takt_can_write(struct takt_can_adapter *adapter, uint8_t channel,
                   const struct takt_can_frame *frame)
{
    struct can_state *s = adapter->state;

    if (port_in_isr()) {
        return TAKT_ECONTEXT;
    }
    if (channel >= TAKT_CAN_CHANNELS || !valid(frame)) {
        return TAKT_EINVAL;
    }
    if (s == NULL || can_enter(s) != TAKT_OK) {
        return TAKT_EGONE;
    }
    int result = send_one(s, channel, frame);
    can_leave(s);
    return result;
}

/* A pipe's frames, as many as a write takes. Were there any? */
static bool fill(struct can_write *w, struct can_channel *c)
{
    struct can_state *s = w->state;
    struct takt_can_frame frame;

    while (w->frames < s->kind->write_frames) {
        int token = can_take_token(s, c, true);
        bool piped;
        if (token < 0) {
            break;
        }
        if (takt_pipe_take(c->out, &frame) != TAKT_OK) {
            (void)can_free_token(s, c, (uint32_t)token, &piped);
            break;
        }
        if (valid(&frame)) {
            append(w, &frame, (uint32_t)token);
        } else {
            (void)can_free_token(s, c, (uint32_t)token, &piped);
            can_unsent(c, 1, 1);
        }
    }
    return w->frames > 0;
}

static void send_piped(struct can_state *s, uint8_t channel)
{
    struct can_channel *c = &s->channels[channel];
    bool more = c->out != NULL && may_send(s, c) == TAKT_OK;

    while (more) {
        struct can_write *w = take_write(s);
        if (w == NULL) {
            return;
        }
        w->state = s;
        w->channel = channel;
        w->piped = true;
        more = fill(w, c) && submit(w) == TAKT_OK;
        if (w->frames == 0) {
            w->used = false;
        }
    }
}

void can_send(void *arg)
{
    struct can_state *s = can_state_of(arg);
    struct takt_pace pace = {0, false};

    for (;;) {
        (void)takt_pace_wait(&pace, &s->wake_send, can_own_period());
        if (can_enter(s) != TAKT_OK) {
            continue;
        }
        for (uint8_t channel = 0; channel < s->channel_count; channel++) {
            send_piped(s, channel);
        }
        can_leave(s);
    }
}
