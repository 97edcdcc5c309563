/*
 * The bus: RAM with its aliases, flash with its aliases, the I/O port, the private peripheral
 * bus, and everything else through the chip. Register accesses are whole words: a narrow write
 * is replicated over the lanes, a narrow read picks its lane.
 */
#include <string.h>

#include "machine.h"

/* 0x21000000: the four 64 KB banks one after the other, at 0x20000000 interleaved by words. */
static uint32_t unstripe(uint32_t off)
{
    return (off & 0xffffu & ~3u) << 2 | (off >> 16) << 2 | (off & 3);
}

uint8_t *bus_memory(struct takt_machine *m, uint32_t address, uint32_t size)
{
    uint32_t ram = address - RAM_BASE, banks = address - 0x21000000u;
    if (ram < RAM_SIZE && size <= RAM_SIZE - ram)
        return m->ram + ram;
    if (banks < 0x40000u && size <= 4)
        return m->ram + unstripe(banks);
    uint32_t flash = address & 0x00ffffffu;
    if (address >= FLASH_BASE && address < 0x14000000u && flash < FLASH_SIZE &&
        size <= FLASH_SIZE - flash)
        return m->flash + flash;
    return NULL;
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
        return value;
    }
    if (region == 0xe) {
        if (address - 0xe000e000u >= 0x1000 || !privileged(m) || size != 4)
            m->bus_fault = true;
        else
            value = scs_read(m, address & 0xfff);
    } else {
        value = chip_read(m, word);
    }
    value >>= (address & 3) * 8;
    return size == 4 ? value : value & ((1u << size * 8) - 1);
}

/* A store to RAM that touches code or a watched address. */
void store_seen(struct takt_machine *m, uint32_t address, uint32_t value, uint32_t size)
{
    uint32_t word = address & ~3u;
    if (address - RAM_BASE < RAM_SIZE && (m->granule[(address - RAM_BASE) / 64] & GRANULE_CODE))
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
        if (memory >= m->flash && memory < m->flash + FLASH_SIZE) {
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
        chip_write(m, address & ~3u, lanes);
    }
    if ((m->watch_count | m->write_log_count) != 0)
        store_seen(m, address, value, size);
}
