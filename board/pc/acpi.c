/*
 * The firmware's tables (ACPI 6.4, chapter 5): found by the text "RSD PTR " in the BIOS's memory,
 * they name one another by address. A table whose sum is not 0 is left alone, as is all that we
 * have no use for.
 */
#include "firmware.h"
#include "words.h"

#include <string.h>

struct pc_firmware pc_firmware;

enum {
    HEADER = 36, /* bytes of each table before its own */
    LENGTH_AT = 4,
    ROOT_BYTES = 20,
    ROOT_STEP = 16,
    EBDA_SEGMENT_AT = 0x40E,
    BIOS_START = 0xE0000,
    BIOS_END = 0x100000,
    EBDA_BYTES = 1024,
    MADT_ENTRIES = 44,
    FADT_PM_TIMER = 76,
    FADT_FLAGS = 112,
    FADT_TIMER_32 = 1 << 8,
    CPU_ENABLED = 1,
};

enum madt_kind { MADT_CPU = 0, MADT_IO_APIC = 1, MADT_OVERRIDE = 2, MADT_X2APIC = 9 };

static bool sum_is_0(const uint8_t *at, uint32_t bytes)
{
    uint8_t sum = 0;
    while (bytes-- > 0)
        sum = (uint8_t)(sum + *at++);
    return sum == 0;
}

static void add_cpu(uint32_t id, uint32_t flags)
{
    if ((flags & CPU_ENABLED) && pc_firmware.cpus < PC_CPUS)
        pc_firmware.apic_ids[pc_firmware.cpus++] = id;
}

static void add_io_apic(const uint8_t *entry)
{
    if (pc_firmware.io_apic_count < PC_IO_APICS)
        pc_firmware.io_apics[pc_firmware.io_apic_count++] =
            (struct pc_io_apic){word(entry + 4), word(entry + 8)};
}

/* Polarity and trigger are two bits each: 0 as the bus has it (ISA: high, edge), 1, 3 the other. */
static void add_override(const uint8_t *entry)
{
    if (entry[3] < PC_OLD_LINES)
        pc_firmware.lines[entry[3]] =
            (struct pc_line){word(entry + 4), (entry[8] & 3) == 3, (entry[8] >> 2 & 3) == 3};
}

static void read_cpus(const uint8_t *table, uint32_t bytes)
{
    for (uint32_t at = MADT_ENTRIES; at + 2 <= bytes && table[at + 1] >= 2; at += table[at + 1]) {
        const uint8_t *entry = table + at;
        if (at + entry[1] > bytes)
            return;
        if (entry[0] == MADT_CPU && entry[1] >= 8)
            add_cpu(entry[3], word(entry + 4));
        else if (entry[0] == MADT_X2APIC && entry[1] >= 16)
            add_cpu(word(entry + 4), word(entry + 8));
        else if (entry[0] == MADT_IO_APIC && entry[1] >= 12)
            add_io_apic(entry);
        else if (entry[0] == MADT_OVERRIDE && entry[1] >= 10)
            add_override(entry);
    }
}

static void read_table(const uint8_t *table)
{
    uint32_t bytes = word(table + LENGTH_AT);
    if (bytes < HEADER || !sum_is_0(table, bytes))
        return;
    if (!memcmp(table, "APIC", 4)) {
        read_cpus(table, bytes);
    } else if (!memcmp(table, "FACP", 4) && bytes >= FADT_FLAGS + 4) {
        pc_firmware.pm_timer = (uint16_t)word(table + FADT_PM_TIMER);
        pc_firmware.pm_timer_32 = word(table + FADT_FLAGS) & FADT_TIMER_32;
    }
}

/* The root names all others, by addresses of 4 or 8 bytes. */
static void read_root(const uint8_t *root, uint32_t width)
{
    uint32_t bytes = word(root + LENGTH_AT);
    if (bytes < HEADER || !sum_is_0(root, bytes))
        return;
    for (uint32_t at = HEADER; at + width <= bytes; at += width) {
        uint64_t address = width == 8 ? two_words(root + at) : word(root + at);
        if (address >> 32 == 0) /* what is mapped by now */
            read_table((const uint8_t *)(uintptr_t)address);
    }
}

static bool is_root(const uint8_t *at)
{
    return !memcmp(at, "RSD PTR ", 8) && sum_is_0(at, ROOT_BYTES);
}

/* Where "RSD PTR " lies in a piece of memory, NULL if nowhere. */
static const uint8_t *find_root(uintptr_t from, uintptr_t end)
{
    for (; from + ROOT_BYTES <= end; from += ROOT_STEP)
        if (is_root((const uint8_t *)from))
            return (const uint8_t *)from;
    return NULL;
}

/* As the BIOS leaves it: in its data area, whose segment is in the first page, or in its own
 * memory. */
static const uint8_t *search(void)
{
    uintptr_t at = EBDA_SEGMENT_AT;
    uint32_t segment;
    __asm__ volatile("movzwl (%1), %0" : "=r"(segment) : "r"(at) : "memory");
    uintptr_t data = (uintptr_t)segment << 4;
    const uint8_t *root = data ? find_root(data, data + EBDA_BYTES) : NULL;
    return root ? root : find_root(BIOS_START, BIOS_END);
}

void pc_firmware_read(const uint8_t *root)
{
    for (uint32_t line = 0; line < PC_OLD_LINES; line++)
        pc_firmware.lines[line] = (struct pc_line){line, false, false};
    if (!root)
        root = search();
    if (!root)
        return;
    uint64_t wide = root[15] >= 2 ? two_words(root + 24) : 0;
    if (wide != 0 && wide >> 32 == 0)
        read_root((const uint8_t *)(uintptr_t)wide, 8);
    else
        read_root((const uint8_t *)(uintptr_t)word(root + 16), 4);
}
