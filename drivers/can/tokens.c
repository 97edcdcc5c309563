/*
 * Tokens of frames that are on their way to the bus: see send.c. A set of those that are not
 * acknowledged, for each channel, and a set of those that are pipes'.
 *
 * Acknowledgements take room of received frames in the adapter. While pipes read it, admission has
 * proved that there is room for as many as takt_admit_echoes() says of each pipe that sends, and
 * for TAKT_CAN_DIRECT more, so no more frames have tokens.
 */
#include "adapter.h"

#include <takt/admit_pipe.h>

static bool has(const uint64_t *set, uint32_t token)
{
    return (set[token / 64] >> token % 64 & 1u) != 0;
}

static void put(uint64_t *set, uint32_t token, bool on)
{
    uint64_t bit = (uint64_t)1 << token % 64;

    set[token / 64] = on ? set[token / 64] | bit : set[token / 64] & ~bit;
}

void can_set_window(struct can_state *s, uint8_t channel, const struct takt_pipe *pipe)
{
    const struct takt_endpoint_attrs *in = s->adapter->in->attrs, *out = pipe->end->attrs;
    uint32_t window = CAN_WINDOW;

    if (in != NULL && out != NULL && pipe->qos != NULL) {
        struct takt_admit_rate rate =
            takt_admit_rate(pipe->qos->tput, 8u * (uint64_t)out->max_pktsz * pipe->qos->latency);
        window = takt_admit_echoes(out, in, &rate);
    }
    s->channels[channel].piped_window = (uint16_t)(window < CAN_WINDOW ? window : CAN_WINDOW);
}

/* May one more be on its way? */
static bool has_room(const struct can_state *s, const struct can_channel *c, bool piped)
{
    if (c->queued >= s->window) {
        return false;
    }
    if (!s->is_read_by_pipes) {
        return true;
    }
    return piped ? c->queued_piped < c->piped_window : s->direct < TAKT_CAN_DIRECT;
}

/* One more is, or no longer. */
static void count(struct can_state *s, struct can_channel *c, bool piped, int change)
{
    c->queued = (uint8_t)(c->queued + change);
    if (piped) {
        c->queued_piped = (uint8_t)(c->queued_piped + change);
    } else {
        s->direct = (uint8_t)(s->direct + change);
    }
}

int can_take_token(struct can_state *s, struct can_channel *c, bool piped)
{
    port_irq_t irq = port_irq_save();
    int token = TAKT_EAGAIN;

    if (has_room(s, c, piped)) {
        while (has(c->waiting, c->next_token)) {
            c->next_token = (uint8_t)((c->next_token + 1u) % CAN_WINDOW);
        }
        token = c->next_token;
        c->next_token = (uint8_t)((c->next_token + 1u) % CAN_WINDOW);
        put(c->waiting, (uint32_t)token, true);
        put(c->piped, (uint32_t)token, piped);
        count(s, c, piped, 1);
    }
    port_irq_restore(irq);
    return token;
}

bool can_free_token(struct can_state *s, struct can_channel *c, uint32_t token, bool *piped)
{
    port_irq_t irq = port_irq_save();
    bool waited = token < CAN_WINDOW && has(c->waiting, token);

    if (waited) {
        *piped = has(c->piped, token);
        put(c->waiting, token, false);
        put(c->old, token, false);
        count(s, c, *piped, -1);
    }
    port_irq_restore(irq);
    return waited;
}

void can_unsent(struct can_channel *c, uint32_t frames, uint32_t piped)
{
    port_irq_t irq = port_irq_save();

    c->counters.unsent += frames;
    port_irq_restore(irq);
    if (piped > 0 && c->out != NULL) {
        takt_pipe_lost(c->out, piped);
    }
}

void can_acknowledged(struct can_state *s, uint8_t channel, uint32_t token, bool sent)
{
    struct can_channel *c = &s->channels[channel];
    bool piped = false;

    if (!can_free_token(s, c, token, &piped)) {
        s->counters.strange++;
        return;
    }
    c->acknowledged++;
    if (sent) {
        c->counters.sent++;
    } else {
        can_unsent(c, 1, piped);
    }
    (void)takt_sem_signal(&s->wake_send);
}

const uint64_t can_all[CAN_WINDOW / 64] = {UINT64_MAX, UINT64_MAX};

void can_give_up(struct can_state *s, uint8_t channel, const uint64_t *set)
{
    struct can_channel *c = &s->channels[channel];
    uint32_t frames = 0, piped = 0;
    bool by_pipe;

    for (uint32_t token = 0; token < CAN_WINDOW; token++) {
        by_pipe = false;
        frames += has(set, token) && can_free_token(s, c, token, &by_pipe);
        piped += by_pipe;
    }
    can_unsent(c, frames, piped);
    (void)takt_sem_signal(&s->wake_send);
}
