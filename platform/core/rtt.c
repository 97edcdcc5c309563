/*
 * RTT: the firmware writes rings described by a control block in RAM; the host empties them.
 *
 *   block: char id[16], int up, int down, then per channel {name, buffer, size, write, read,
 *   flags}, all 32-bit
 */
#include <string.h>

#include "machine.h"

#define DRAIN_US 100u

static uint32_t word_at(struct takt_machine *m, uint32_t address)
{
    uint32_t value = 0;
    takt_read(m, address, &value, 4);
    return value;
}

static void drain_channel(struct takt_machine *m, uint32_t channel)
{
    uint32_t at = m->rtt.address + 24 + 24 * channel;
    uint32_t buffer = word_at(m, at + 4), size = word_at(m, at + 8);
    uint32_t head = word_at(m, at + 12), tail = word_at(m, at + 16);
    if (head == tail || head >= size || tail >= size || bus_memory(m, buffer, size) == NULL)
        return;
    const uint8_t *ring = bus_memory(m, buffer, size);
    for (; tail != head; tail = tail + 1 == size ? 0 : tail + 1)
        record_add(&m->rtt.up[channel], &ring[tail], 1);
    memcpy(bus_memory(m, at + 16, 4), &head, 4);
}

void rtt_drain(struct takt_machine *m)
{
    const uint8_t *block = m->rtt.address != 0 ? bus_memory(m, m->rtt.address, 72) : NULL;
    if (block == NULL || memcmp(block, "SEGGER RTT", 11) != 0)
        return;
    uint32_t channels = word_at(m, m->rtt.address + 16);
    for (uint32_t channel = 0; channel < 2 && channel < channels; channel++)
        drain_channel(m, channel);
}

void rtt_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    rtt_drain(m);
    event_set(m, id, when + (uint64_t)chip_hz(m) * DRAIN_US / 1000000);
}
