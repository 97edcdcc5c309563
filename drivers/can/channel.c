/*
 * Channels: what the program wants of them, what the adapter tells of them; see adapter.h.
 */
#include "adapter.h"

#include <string.h>

enum { SLOWEST = 10000, FASTEST = 1000000 };

static struct can_channel *channel_of(const struct takt_can_adapter *adapter, uint8_t channel)
{
    bool there = adapter->state != NULL && channel < TAKT_CAN_CHANNELS;

    return there ? &adapter->state->channels[channel] : NULL;
}

static bool is(const struct can_state *s, enum can_presence presence)
{
    return s->presence == presence;
}

void can_told(struct can_state *s, uint8_t channel, enum takt_can_state state, uint8_t rx_errors,
              uint8_t tx_errors)
{
    struct can_channel *c = &s->channels[channel];
    bool goes_off = state == TAKT_CAN_BUS_OFF && c->state != TAKT_CAN_BUS_OFF;

    c->counters.rx_errors = rx_errors;
    c->counters.tx_errors = tx_errors;
    if (c->state == TAKT_CAN_CLOSED) {
        return; /* not on the bus: what it tells is about nothing */
    }
    c->state = (uint8_t)state;
    if (goes_off) {
        c->counters.bus_offs++;
        c->doubt = true;
    } else {
        (void)takt_sem_signal(&s->wake_send);
    }
}

/*
 * Has a channel lost acknowledgements? Those of frames that wait now are looked at from now on:
 *
 *   nothing --doubt, not bus-off--> looks --none comes in a second, or all before and SLACK--> give
 *      ^                                |                                                    up
 *      +----- all of them have come ----+ bus-off: begins anew when it is over
 *
 * The slack: adapters need not send in the order of asking.
 */
static void begin_to_look(struct can_channel *c)
{
    port_irq_t irq = port_irq_save();

    memcpy(c->old, c->waiting, sizeof c->old);
    c->queued_before = c->queued;
    c->looks = c->queued > 0;
    c->doubt = false;
    port_irq_restore(irq);
    c->acknowledged_before = c->acknowledged;
}

static void look_after(struct can_state *s, uint8_t channel)
{
    enum { SLACK = 8 };
    struct can_channel *c = &s->channels[channel];

    if (c->state == TAKT_CAN_BUS_OFF) {
        c->doubt |= c->looks;
        c->looks = false;
    } else if (c->looks) {
        uint32_t came = c->acknowledged - c->acknowledged_before;
        if (came == 0 || came >= c->queued_before + (uint32_t)SLACK) {
            can_give_up(s, channel, c->old);
            c->looks = false;
        }
    } else if (c->doubt) {
        begin_to_look(c);
    }
}

void can_look_after(struct can_state *s)
{
    for (uint8_t i = 0; i < s->channel_count; i++) {
        look_after(s, i);
    }
}

static int put_on_bus(struct can_state *s, uint8_t channel)
{
    struct can_channel *c = &s->channels[channel];

    if (channel >= s->channel_count) {
        return TAKT_EINVAL;
    }
    c->state = TAKT_CAN_CLOSED; /* what its controller tells meanwhile is of before */
    can_give_up(s, channel, can_all);
    int result = s->kind->start(s, channel, c->bit_rate, c->mode);
    if (result == TAKT_OK) {
        c->doubt = c->looks = false;
        c->state = TAKT_CAN_ACTIVE;
    }
    (void)takt_sem_signal(&s->wake_send);
    return result;
}

int can_reopen(struct can_state *s)
{
    int result = TAKT_OK;

    (void)takt_sem_wait(&s->setting);
    for (uint8_t i = 0; i < TAKT_CAN_CHANNELS; i++) {
        if (s->channels[i].bit_rate == 0 || i >= s->channel_count || result != TAKT_OK) {
            continue;
        }
        result = put_on_bus(s, i);
        result = result == TAKT_EINVAL ? (int)TAKT_OK : result; /* this one cannot: stays closed */
    }
    (void)takt_sem_signal(&s->setting);
    return result;
}

static int open_here(struct can_state *s, uint8_t channel, uint32_t bit_rate, uint8_t mode)
{
    struct can_channel *c = &s->channels[channel];

    c->bit_rate = bit_rate;
    c->mode = mode;
    if (can_enter(s) != TAKT_OK) {
        return TAKT_EGONE;
    }
    int result = put_on_bus(s, channel);
    if (result == TAKT_EINVAL) {
        c->bit_rate = 0; /* nor will it ever be */
    }
    can_leave(s);
    return result;
}

int takt_can_open(struct takt_can_adapter *adapter, uint8_t channel, uint32_t bit_rate,
                  uint8_t mode)
{
    if (channel >= TAKT_CAN_CHANNELS || bit_rate < SLOWEST || bit_rate > FASTEST ||
        (mode & ~(TAKT_CAN_LISTEN_ONLY | TAKT_CAN_ONE_SHOT)) != 0) {
        return TAKT_EINVAL;
    }
    struct can_state *s = can_state_of(adapter);
    int result = takt_sem_wait(&s->setting);
    if (result != TAKT_OK) {
        return result;
    }
    result = open_here(s, channel, bit_rate, mode);
    (void)takt_sem_signal(&s->setting);
    return result;
}

int takt_can_close(struct takt_can_adapter *adapter, uint8_t channel)
{
    struct can_channel *c = channel_of(adapter, channel);

    if (c == NULL) {
        return TAKT_EINVAL;
    }
    struct can_state *s = adapter->state;
    int result = takt_sem_wait(&s->setting);
    if (result != TAKT_OK) {
        return result;
    }
    bool open = c->bit_rate != 0;
    c->bit_rate = 0;
    result = can_enter(s);
    if (result == TAKT_OK) {
        result = open ? s->kind->stop(s, channel) : TAKT_OK;
        c->state = TAKT_CAN_CLOSED;
        can_give_up(s, channel, can_all);
        can_leave(s);
    }
    (void)takt_sem_signal(&s->setting);
    return result;
}

int takt_can_read(struct takt_can_adapter *adapter, uint8_t channel, struct takt_can_frame *frame)
{
    struct can_channel *c = channel_of(adapter, channel);

    if (c == NULL) {
        return TAKT_EINVAL;
    }
    int slot = takt_ring_begin_read(&c->ring);
    if (slot < 0) {
        return is(adapter->state, CAN_PRESENT) ? slot : TAKT_EGONE;
    }
    *frame = c->frames[slot];
    takt_ring_end_read(&c->ring);
    return TAKT_OK;
}

int takt_can_wait(struct takt_can_adapter *adapter, uint8_t channel, uint32_t us)
{
    struct can_channel *c = channel_of(adapter, channel);
    takt_time_t start = takt_now();

    if (c == NULL || us > TAKT_DURATION_MAX) {
        return TAKT_EINVAL;
    }
    while (takt_ring_begin_read(&c->ring) < 0) {
        if (!is(adapter->state, CAN_PRESENT)) {
            return TAKT_EGONE;
        }
        uint32_t gone = takt_now() - start;
        int result = gone < us ? takt_sem_wait_for(&c->readable, us - gone) : (int)TAKT_ETIMEOUT;
        if (result != TAKT_OK) {
            return result;
        }
    }
    return TAKT_OK;
}

uint32_t takt_can_queued(const struct takt_can_adapter *adapter, uint8_t channel)
{
    const struct can_channel *c = channel_of(adapter, channel);

    return c != NULL ? c->queued : 0;
}

int takt_can_state(const struct takt_can_adapter *adapter, uint8_t channel)
{
    const struct can_channel *c = channel_of(adapter, channel);

    if (channel >= TAKT_CAN_CHANNELS) {
        return TAKT_EINVAL;
    }
    return c != NULL ? c->state : TAKT_CAN_CLOSED;
}

uint8_t takt_can_channels(const struct takt_can_adapter *adapter)
{
    const struct can_state *s = adapter->state;

    return s != NULL && is(s, CAN_PRESENT) ? s->channel_count : 0;
}

int takt_can_count(const struct takt_can_adapter *adapter, uint8_t channel,
                   struct takt_can_counters *counters)
{
    const struct can_channel *c = channel_of(adapter, channel);

    memset(counters, 0, sizeof *counters);
    if (channel >= TAKT_CAN_CHANNELS) {
        return TAKT_EINVAL;
    }
    if (c != NULL) {
        *counters = c->counters;
    }
    return TAKT_OK;
}

int takt_can_adapter_count(const struct takt_can_adapter *adapter,
                           struct takt_can_adapter_counters *counters)
{
    memset(counters, 0, sizeof *counters);
    if (adapter->state != NULL) {
        *counters = adapter->state->counters;
    }
    return TAKT_OK;
}

uint32_t takt_can_lost(const struct takt_can_adapter *adapter)
{
    const struct can_state *s = adapter->state;
    uint32_t found = s != NULL ? s->counters.malformed + s->counters.broken : 0;

    for (uint8_t i = 0; s != NULL && i < TAKT_CAN_CHANNELS; i++) {
        found += s->channels[i].counters.overruns + s->channels[i].counters.overflow;
    }
    return found;
}

uint32_t takt_can_unsent(const struct takt_can_adapter *adapter)
{
    const struct can_state *s = adapter->state;
    uint32_t found = 0;

    for (uint8_t i = 0; s != NULL && i < TAKT_CAN_CHANNELS; i++) {
        found += s->channels[i].counters.unsent;
    }
    return found;
}

static int carry(struct takt_endpoint *end, uint8_t channel, struct takt_pipe *pipe)
{
    struct can_state *s = can_state_of(end->driver);

    if (channel >= TAKT_CAN_CHANNELS) {
        return TAKT_EINVAL;
    }
    bool there = is(s, CAN_PRESENT), has = !there || channel < s->channel_count;
    if (end->direction == TAKT_IN) {
        s->channels[channel].in = has ? pipe : NULL;
        s->is_read_by_pipes |= has;
    } else {
        s->channels[channel].out = has ? pipe : NULL;
        can_set_window(s, channel, pipe);
    }
    return !has ? TAKT_EINVAL : there ? TAKT_OK : TAKT_EGONE;
}

static void kick(struct takt_endpoint *end, uint8_t channel)
{
    struct takt_can_adapter *adapter = end->driver;

    (void)channel;
    if (adapter->state != NULL) {
        (void)takt_sem_signal(&adapter->state->wake_send);
    }
}

const struct takt_endpoint_ops can_in_ops = {carry, NULL};
const struct takt_endpoint_ops can_out_ops = {carry, kick};
