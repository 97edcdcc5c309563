/* Break addresses, watched addresses. */
#include "machine.h"

/* Adds or removes an address; -1 when the list is full. */
static int list_change(uint32_t *list, uint32_t *count, uint32_t room, uint32_t address, bool on)
{
    for (uint32_t k = 0; k < *count; k++) {
        if (list[k] != address)
            continue;
        if (!on)
            list[k] = list[--*count];
        return 0;
    }
    if (!on)
        return 0;
    if (*count == room)
        return -1;
    list[(*count)++] = address;
    return 0;
}

static void mark_watched(struct takt_machine *m)
{
    for (uint32_t k = 0; k < m->ram_size / 64; k++)
        m->granule[k] &= (uint8_t)~GRANULE_WATCH;
    for (uint32_t k = 0; k < m->watch_count; k++) {
        if (m->watches[k] - RAM_BASE < m->ram_size)
            m->granule[(m->watches[k] - RAM_BASE) / 64] |= GRANULE_WATCH;
    }
    for (uint32_t k = 0; k < m->write_log_count; k++) {
        if (m->write_logs[k] - RAM_BASE < m->ram_size)
            m->granule[(m->write_logs[k] - RAM_BASE) / 64] |= GRANULE_WATCH;
    }
}

int takt_break_at(struct takt_machine *m, uint32_t address, int32_t on)
{
    address &= ~1u;
    code_forget(m, address, 2);
    return list_change(m->breaks, &m->break_count, 32, address, on != 0);
}

int takt_stop_on_write(struct takt_machine *m, uint32_t address, int32_t on)
{
    int result = list_change(m->watches, &m->watch_count, 16, address & ~3u, on != 0);
    mark_watched(m);
    return result;
}

int takt_log_write(struct takt_machine *m, uint32_t address, int32_t on)
{
    int result = list_change(m->write_logs, &m->write_log_count, 16, address & ~3u, on != 0);
    mark_watched(m);
    return result;
}
