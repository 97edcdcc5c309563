/* How long interrupts have waited for their handlers, where that is longer than asked for. */
#include "machine.h"

void wait_begin(struct takt_machine *m, unsigned irq, uint64_t cycle)
{
    m->waits.since[irq] = cycle;
}

void wait_end(struct takt_machine *m, unsigned irq, uint64_t cycle)
{
    struct waits *w = &m->waits;
    uint64_t cycles = cycle - w->since[irq];
    if (w->least == 0 || w->since[irq] == 0 || cycles < w->least)
        return;
    struct takt_wait wait = {cycle, cycles < UINT32_MAX ? (uint32_t)cycles : UINT32_MAX, irq};
    record_add(&w->list, &wait, sizeof wait);
}

void takt_waits_log(struct takt_machine *m, uint32_t least)
{
    m->waits.least = least;
}

uint32_t takt_waits(struct takt_machine *m, struct takt_wait *out, uint32_t room)
{
    return record_take(&m->waits.list, out, room);
}
