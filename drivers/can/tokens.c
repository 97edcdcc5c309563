/*
 * Tokens of frames that are on their way to the bus: see send.c. A set of those that are not
 * acknowledged, for each channel, and a set of those that are pipes'.
 */
#include "adapter.h"

static bool has(const uint64_t *set, uint32_t token)
{
    return (set[token / 64] >> token % 64 & 1u) != 0;
}

static void put(uint64_t *set, uint32_t token, bool on)
{
    uint64_t bit = (uint64_t)1 << token % 64;

    set[token / 64] = on ? set[token / 64] | bit : set[token / 64] & ~bit;
}

int can_take_token(struct can_state *s, struct can_channel *c, bool piped)
{
    port_irq_t irq = port_irq_save();
    int token = TAKT_EAGAIN;

    if (c->queued < s->window) {
        while (has(c->waiting, c->next_token)) {
            c->next_token = (uint8_t)((c->next_token + 1u) % CAN_WINDOW);
        }
        token = c->next_token;
        c->next_token = (uint8_t)((c->next_token + 1u) % CAN_WINDOW);
        put(c->waiting, (uint32_t)token, true);
        put(c->piped, (uint32_t)token, piped);
        c->queued++;
    }
    port_irq_restore(irq);
    return token;
}

bool can_free_token(struct can_channel *c, uint32_t token, bool *piped)
{
    port_irq_t irq = port_irq_save();
    bool waited = token < CAN_WINDOW && has(c->waiting, token);

    if (waited) {
        *piped = has(c->piped, token);
        put(c->waiting, token, false);
        c->queued--;
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

    if (!can_free_token(c, token, &piped)) {
        s->counters.strange++;
        return;
    }
    if (sent) {
        c->counters.sent++;
    } else {
        can_unsent(c, 1, piped);
    }
    (void)takt_sem_signal(&s->wake_send);
}

void can_give_up(struct can_state *s, uint8_t channel)
{
    struct can_channel *c = &s->channels[channel];
    uint32_t frames = 0, piped = 0;
    bool by_pipe;

    for (uint32_t token = 0; token < CAN_WINDOW; token++) {
        by_pipe = false;
        frames += can_free_token(c, token, &by_pipe);
        piped += by_pipe;
    }
    can_unsent(c, frames, piped);
}
