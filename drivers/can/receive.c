/*
 * The RX thread of an adapter: see adapter.h. Once per period at most it looks at the reads that
 * have ended, oldest first, sorts their frames into channels, and asks for as many again. Once a
 * second it looks after clock and channels, also when nothing comes.
 *
 *   reads   [ ended | ended | on its way | on its way | - ]   they end in the order of asking
 *             ^ read_oldest, reads_asked = 4
 */
#include "adapter.h"

#include <takt/time.h>

static struct usb_transfer *read_at(struct can_state *s, uint32_t i)
{
    return &s->reads[(s->read_oldest + i) % s->kind->reads];
}

/* Where transfers end. */
static void read_done(struct usb_transfer *read)
{
    struct can_state *s = read->user;

    (void)takt_sem_signal(&s->wake);
}

static void ask_for_reads(struct can_state *s)
{
    while (!s->read_halted && s->reads_asked < s->kind->reads) {
        struct usb_transfer *read = read_at(s, s->reads_asked);
        uint32_t i = (uint32_t)(read - s->reads);
        *read = (struct usb_transfer){.endpoint = s->in,
                                      .data = s->read_data + i * s->kind->read_bytes,
                                      .length = s->kind->read_bytes,
                                      .done = read_done,
                                      .user = s};
        if (usb_submit(read) != TAKT_OK) {
            return;
        }
        s->reads_asked++;
    }
}

static void look_at(struct can_state *s, const struct usb_transfer *read)
{
    if (read->result >= 0) {
        s->counters.reads += read->result > 0;
        s->kind->parse(s, read->data, (uint32_t)read->result);
    } else if ((read->result == TAKT_EREFUSED || read->result == TAKT_EBUS) && !s->read_halted) {
        can_retried(s); /* the first: those behind it were not begun */
        s->read_halted = true;
        if (read->result == TAKT_EBUS || read->moved > 0) {
            s->counters.broken++;
            can_lost(s);
        }
    }
}

static void look_at_reads(struct can_state *s)
{
    while (s->reads_asked > 0 && !read_at(s, 0)->busy) {
        look_at(s, read_at(s, 0));
        s->read_oldest = (uint8_t)((s->read_oldest + 1u) % s->kind->reads);
        s->reads_asked--;
    }
}

/* The device is gone, no read is on its way: looks at the last ones. */
static void end_reads(struct can_state *s)
{
    look_at_reads(s);
    s->read_oldest = s->reads_asked = 0;
    s->read_halted = s->write_halted = false;
    if (s->part_bytes > 0) {
        can_malformed(s);
    }
    s->part_bytes = 0;
}

/* Once a second, also when nothing comes. */
static void look_after(struct can_state *s)
{
    if (s->presence == CAN_PRESENT && takt_now() - s->clock.looked >= CAN_KEEP_US) {
        s->clock.looked = takt_now();
        can_clock_ask(s);
        can_look_after(s);
    }
}

static void serve(struct can_state *s)
{
    look_at_reads(s);
    if (s->read_halted && s->reads_asked == 0 && usb_clear_halt(s->in) == TAKT_OK) {
        s->read_halted = false;
    }
    ask_for_reads(s);
    can_mend_writes(s);
    look_after(s);
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

/* Takes back all that is on its way. */
static void leave_device(struct can_state *s)
{
    (void)takt_sem_signal(&s->question.answered);
    while (anything_left(s)) {
        (void)takt_sleep(USB_SERVICE_US);
    }
    end_reads(s);
    for (uint8_t i = 0; i < TAKT_CAN_CHANNELS; i++) {
        can_give_up(s, i, can_all);
        s->channels[i].state = TAKT_CAN_CLOSED;
        (void)takt_sem_signal(&s->channels[i].readable);
    }
    (void)can_presence_becomes(s, CAN_ABSENT);
    (void)takt_sem_signal(&s->left);
}

/* Waits until something has come, or it is time to look after the adapter. */
static void wait_for_work(struct can_state *s, struct takt_pace *pace)
{
    (void)takt_pace_rest(pace, can_own_period());
    (void)takt_sem_wait_for(&s->wake, CAN_KEEP_US);
    takt_pace_begin(pace);
}

void can_receive(void *arg)
{
    struct can_state *s = can_state_of(arg);
    struct takt_pace pace = {0, false};

    for (;;) {
        wait_for_work(s, &pace);
        if (s->presence == CAN_LEAVING) {
            leave_device(s);
        } else if (s->presence != CAN_ABSENT) {
            serve(s);
        }
    }
}

/* Into the buffer of a channel that no pipe carries. */
static int keep(struct can_channel *c, const struct takt_can_frame *frame)
{
    int slot = takt_ring_begin_write(&c->ring);

    if (slot < 0) {
        return slot;
    }
    c->frames[slot] = *frame;
    takt_ring_end_write(&c->ring);
    (void)takt_sem_signal(&c->readable);
    return TAKT_OK;
}

void can_received(struct can_state *s, struct takt_can_frame *frame, uint32_t us)
{
    struct can_channel *c = &s->channels[frame->channel];

    frame->at = can_clock_ours(s, us, takt_now());
    c->counters.received++;
    int result = c->in != NULL ? takt_pipe_put(c->in, frame, frame->at) : keep(c, frame);
    c->counters.overflow += result != TAKT_OK;
}

void can_overrun(struct can_state *s, uint8_t channel)
{
    struct can_channel *c = &s->channels[channel];

    c->counters.overruns++;
    if (c->in != NULL) {
        takt_pipe_lost(c->in, 1);
    } else {
        can_lost(s);
    }
}

void can_lost(struct can_state *s)
{
    for (uint32_t i = 0; i < TAKT_CAN_CHANNELS; i++) {
        struct can_channel *c = &s->channels[i];
        c->doubt |= c->queued > 0;
        if (c->in != NULL) {
            takt_pipe_lost(c->in, 1);
        }
    }
}

void can_malformed(struct can_state *s)
{
    s->counters.malformed++;
    can_lost(s);
}
