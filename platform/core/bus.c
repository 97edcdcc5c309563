/*
 * The bus: RAM, flash, the private peripheral bus, and everything else through the chip. Register
 * accesses are whole words: a narrow write is replicated over the lanes, a narrow read picks its
 * lane.
 */
#include <string.h>

#include "machine.h"

uint8_t *bus_memory(struct takt_machine *m, uint32_t address, uint32_t size)
{
    uint32_t ram = address - RAM_BASE, flash = address - m->flash_base;
    if (ram < m->ram_size && size <= m->ram_size - ram)
        return m->ram + ram;
    if (flash < m->flash_size && size <= m->flash_size - flash)
        return m->flash + flash;
    return m->chip->memory(m, address, size);
}

static bool in_flash(const struct takt_machine *m, const uint8_t *memory)
{
    return memory >= m->flash && memory < m->flash + m->flash_size;
}

void bus_attention(struct takt_machine *m)
{
    m->bound = 0;
}

uint32_t bus_read(struct takt_machine *m, uint32_t address, uint32_t size)
{
    uint32_t value = 0, region = address >> 28, word = address & ~3u;
    const uint8_t *memory = region < 4 ? bus_memory(m, address, size) : NULL;
    if (memory != NULL) {
        memcpy(&value, memory, size);
        if (in_flash(m, memory))
            m->bus_extra = (int32_t)cycles_load_wait(m, address);
        return value;
    }
    if (region == 0xe) {
        if (address - 0xe000e000u >= 0x1000 || !privileged(m) || size != 4)
            m->bus_fault = true;
        else
            value = scs_read(m, address & 0xfff);
    } else {
        m->bus_size = size;
        m->bus_lane = address & 3;
        value = m->chip->read(m, word);
    }
    value >>= (address & 3) * 8;
    return size == 4 ? value : value & ((1u << size * 8) - 1);
}

/* A store to RAM that touches code or a watched address. */
void store_seen(struct takt_machine *m, uint32_t address, uint32_t value, uint32_t size)
{
    uint32_t word = address & ~3u;
    if (address - RAM_BASE < m->ram_size && (m->granule[(address - RAM_BASE) / 64] & GRANULE_CODE))
        code_forget(m, address, size);
    for (uint32_t k = 0; k < m->watch_count; k++) {
        if (m->watches[k] == word)
            machine_stop(m, TAKT_STOP_WRITE, m->now, address);
    }
    for (uint32_t k = 0; k < m->write_log_count; k++) {
        struct takt_store store = {m->now, address, value};
        if (m->write_logs[k] == word)
            record_add(&m->stores, &store, sizeof store);
    }
}

void bus_write(struct takt_machine *m, uint32_t address, uint32_t value, uint32_t size)
{
    uint8_t *memory = address >> 28 < 4 ? bus_memory(m, address, size) : NULL;
    if (memory != NULL) {
        if (in_flash(m, memory)) {
            m->bus_fault = true;
            return;
        }
        memcpy(memory, &value, size);
        store_seen(m, RAM_BASE + (uint32_t)(memory - m->ram), value, size);
        return;
    }
    if (address >> 28 == 0xe) {
        if (address - 0xe000e000u >= 0x1000 || !privileged(m) || size != 4)
            m->bus_fault = true;
        else
            scs_write(m, address & 0xfff, value);
    } else {
        uint32_t lanes = size == 1   ? 0x01010101u * (value & 0xff)
                         : size == 2 ? 0x00010001u * (value & 0xffff)
                                     : value;
        m->bus_size = size;
        m->bus_lane = address & 3;
        m->chip->write(m, address & ~3u, lanes);
    }
    if ((m->watch_count | m->write_log_count) != 0)
        store_seen(m, address, value, size);
}
