/* What every machine has: memory as power finds it, lists, facts told to the outside. */
#include <stdlib.h>
#include <string.h>

#include "machine.h"

/* RAM after power-on is not zero: firmware that relies on it should fail here too. */
void ram_scramble(uint8_t *ram, uint32_t size)
{
    uint32_t x = 0x2545f491;
    for (uint32_t off = 0; off < size; off += 4) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        memcpy(ram + off, &x, 4);
    }
}

/* Frees what grows while a machine runs. */
void lists_free(struct takt_machine *m)
{
    free(m->queue);
    free(m->reports);
    free(m->edges.data);
    free(m->stores.data);
    free(m->masked.stretches.data);
    free(m->delivered.pieces.data);
    free(m->waits.list.data);
    for (uint32_t port = 0; port < UARTS; port++)
        free(m->serial[port].taken.data);
    free(m->rtt.up[0].data);
    free(m->rtt.up[1].data);
}

uint64_t takt_now(const struct takt_machine *m)
{
    return m->now;
}

uint64_t takt_instructions(const struct takt_machine *m)
{
    return m->instructions;
}

uint64_t takt_sleep_cycles(const struct takt_machine *m)
{
    return m->sleep_cycles;
}

uint32_t takt_clock_hz(const struct takt_machine *m)
{
    return chip_hz(m);
}

double takt_clock_us(const struct takt_machine *m)
{
    return m->chip->clock_us(m);
}

uint32_t takt_rtt_take(struct takt_machine *m, uint32_t channel, uint8_t *out, uint32_t room)
{
    return channel < 2 ? record_take(&m->rtt.up[channel], out, room) : 0;
}

const char *takt_unimplemented(struct takt_machine *m, uint32_t index)
{
    return index < m->report_count ? m->reports[index].text : NULL;
}

const char *takt_fault(struct takt_machine *m)
{
    return m->fault_text[0] != 0 ? m->fault_text : NULL;
}

uint32_t takt_stores(struct takt_machine *m, struct takt_store *out, uint32_t room)
{
    return record_take(&m->stores, out, room);
}
