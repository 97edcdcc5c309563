/*
 * What the boot loader has left: how far memory goes that begins at 1 MB, and, by multiboot 2,
 * where the firmware's tables begin, which are not found by a search where the firmware is UEFI.
 *
 *   multiboot 1   flags, then fields at fixed places
 *   multiboot 2   bytes in all, 0, then records: kind, bytes, ...; each begins at a multiple of 8
 */
#include "firmware.h"
#include "words.h"

enum {
    LOADED_BY_2 = 0x36D76289,
    ONE_MEMORY = 1, /* flags: the sizes of memory are there */
    ONE_HIGH_KB = 8,
    TWO_FIRST = 8,
    TWO_END = 0,
    TWO_MEMORY = 4,
    TWO_HIGH_KB = 12,
    TWO_MAP = 6,
    TWO_MAP_ENTRIES = 16,
    TWO_ACPI = 14, /* and one more, of later tables */
    TWO_ACPI_LATER = 15,
    TWO_ROOT = 8,
    MAP_USABLE = 1,
};

#define MEGABYTE 0x100000u

/* From the list of pieces of memory: the one that begins at 1 MB, or before and goes on there, with
 * what follows without a gap. */
static void read_map(const uint8_t *record)
{
    uint32_t bytes = word(record + 4), step = word(record + 8);
    uint64_t end = MEGABYTE;
    for (bool more = step >= 20; more;) {
        more = false;
        for (uint32_t at = TWO_MAP_ENTRIES; at + step <= bytes; at += step) {
            uint64_t from = two_words(record + at), to = from + two_words(record + at + 8);
            if (word(record + at + 16) == MAP_USABLE && from <= end && to > end) {
                end = to;
                more = true;
            }
        }
    }
    if (end > pc_firmware.memory_end)
        pc_firmware.memory_end = end;
}

static const uint8_t *read_records(const uint8_t *info)
{
    const uint8_t *root = NULL;
    uint32_t bytes = word(info), size;
    for (uint32_t at = TWO_FIRST; at + 8 <= bytes; at += (size + 7) & ~7u) {
        uint32_t kind = word(info + at);
        size = word(info + at + 4);
        if (kind == TWO_END || size < 8)
            break;
        if (kind == TWO_MEMORY && pc_firmware.memory_end == MEGABYTE)
            pc_firmware.memory_end += (uint64_t)word(info + at + TWO_HIGH_KB) * 1024;
        else if (kind == TWO_MAP)
            read_map(info + at);
        else if (kind == TWO_ACPI_LATER || (kind == TWO_ACPI && !root))
            root = info + at + TWO_ROOT;
    }
    return root;
}

const uint8_t *pc_loader_read(uint32_t magic, const uint8_t *info)
{
    pc_firmware.memory_end = MEGABYTE;
    if (magic == LOADED_BY_2)
        return read_records(info);
    if (word(info) & ONE_MEMORY)
        pc_firmware.memory_end += (uint64_t)word(info + ONE_HIGH_KB) * 1024;
    return NULL;
}
