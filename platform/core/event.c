/* Events: one deadline per source, served in time order (ties by source number), and a queue of
 * what the outside world does. */
#include <stdlib.h>
#include <string.h>

#include "machine.h"

void event_set(struct takt_machine *m, unsigned id, uint64_t at)
{
    m->event_at[id] = at;
    if (at >= m->next_event)
        return;
    m->next_event = at;
    uint64_t rel = at > m->base ? at - m->base : 0;
    if (rel < m->bound)
        m->bound = (uint32_t)rel;
}

static unsigned earliest(const struct takt_machine *m)
{
    unsigned best = 0;
    for (unsigned id = 1; id < EV_COUNT; id++) {
        if (m->event_at[id] < m->event_at[best])
            best = id;
    }
    return best;
}

/* Runs every event due at `upto` or before, each at its own time. */
void event_run(struct takt_machine *m, uint64_t upto)
{
    while (m->next_event <= upto) {
        unsigned id = earliest(m);
        uint64_t when = m->event_at[id];
        m->next_event = when;
        if (when > upto)
            break;
        m->event_at[id] = TAKT_NEVER;
        m->serves = when;
        m->event_do[id](m, id, when);
    }
    m->serves = TAKT_NEVER;
}

uint64_t event_time(const struct takt_machine *m)
{
    return m->serves != TAKT_NEVER ? m->serves : m->now;
}

void event_clear_all(struct takt_machine *m)
{
    for (unsigned id = 0; id < EV_COUNT; id++)
        m->event_at[id] = TAKT_NEVER;
    m->next_event = m->serves = TAKT_NEVER;
}

static bool queue_grow(struct takt_machine *m)
{
    if (m->queue_count < m->queue_room)
        return true;
    uint32_t room = m->queue_room != 0 ? m->queue_room * 2 : 64;
    struct external *queue = realloc(m->queue, room * sizeof *queue);
    if (queue == NULL)
        return false;
    m->queue = queue;
    m->queue_room = room;
    return true;
}

/* The queue is kept in falling order of time, so the next one is at its end. */
void external_add(struct takt_machine *m, uint64_t at, uint32_t kind, uint32_t index, int64_t value)
{
    if (!queue_grow(m))
        return;
    at = at < m->now ? m->now : at;
    m->queue_irqs += kind == EXTERNAL_IRQ;
    uint32_t k = m->queue_count++;
    for (; k > 0 && m->queue[k - 1].at <= at; k--)
        m->queue[k] = m->queue[k - 1];
    m->queue[k] = (struct external){at, m->queue_order++, kind, index, value};
    event_set(m, EV_EXTERNAL, m->queue[m->queue_count - 1].at);
}

void external_run(struct takt_machine *m, unsigned id, uint64_t when)
{
    while (m->queue_count > 0 && m->queue[m->queue_count - 1].at <= when) {
        struct external *x = &m->queue[--m->queue_count];
        if (x->kind == EXTERNAL_PIN) {
            wave_end(m, x->index, when);
            pins_outside(m, x->index, x->value, when);
        } else if (x->kind == EXTERNAL_ADC) {
            m->chip->adc_set(m, x->index, x->value);
        } else if (x->kind == EXTERNAL_UART) {
            serial_put(m, x->index, (uint8_t)x->value, when);
        } else {
            m->queue_irqs--;
            exception_pend(m, x->index);
        }
    }
    if (m->queue_count > 0)
        event_set(m, id, m->queue[m->queue_count - 1].at);
}
