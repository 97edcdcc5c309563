/* Stretches with interrupts off, recorded while somebody wants to know. */
#include "machine.h"

void masked_look(struct takt_machine *m, uint64_t cycle, uint32_t address)
{
    struct masked *masked = &m->masked;
    if (!masked->log || masked->on == interrupts_masked(m))
        return;
    masked->on = !masked->on;
    if (masked->on) {
        masked->since = cycle;
        masked->slept = m->sleep_cycles;
        masked->from = address;
        return;
    }
    uint64_t slept = m->sleep_cycles - masked->slept;
    struct takt_stretch stretch = {.cycle = masked->since,
                                   .cycles = (uint32_t)(cycle - masked->since - slept),
                                   .from = masked->from,
                                   .to = address};
    record_add(&masked->stretches, &stretch, sizeof stretch);
}

void takt_masked_log(struct takt_machine *m, int32_t on)
{
    m->masked.on = false;
    m->masked.log = on != 0;
    masked_look(m, m->now, code_address(m, m->at));
}

uint32_t takt_masked(struct takt_machine *m, struct takt_stretch *out, uint32_t room)
{
    return record_take(&m->masked.stretches, out, room);
}
