/*
 * x86-64: page tables. start.S maps the first 4 GB by pages of 2 MB, one to one; here a large page
 * that has a guard in it is replaced by a table of small ones, and devices above 4 GB are added, in
 * large pages of their own that are not cached.
 *
 *   level 4 (port_tables, 512 GB) -> level 3 (1 GB) -> level 2 (2 MB) -> level 1 (4 KB, at guards)
 *
 * Which memory below 4 GB may be cached is left to what the firmware has set (MTRR).
 */
#include "page.h"

#include <takt/port.h>

#include "layout.h"
#include "x86.h"

enum {
    ENTRIES = 512,
    SPARE = 24, /* tables for what comes later */
    PRESENT = 1,
    WRITABLE = 2,
    UNCACHED = 0x18, /* PWT, PCD: strongly uncacheable, as PAT is after reset (SDM 3A, 12.12.4) */
    LARGE = 0x80,
    SHIFT_SMALL = 12,
    SHIFT_LARGE = 21,
    SHIFT_LEVEL = 9, /* from one level to the next */
    LEVELS = 4,
    OLD_BITS = 36, /* of the address of a CPU that does not say */
    VIRTUAL_BITS = 47, /* of addresses that are one to one: the upper half has its sign extended */
};

#define CPUID_LAST      0x80000000u
#define CPUID_ADDRESSES 0x80000008u

#define ADDRESS  0x000FFFFFFFFFF000u
#define MAPPED   (PRESENT | WRITABLE)

typedef uint64_t table_t[ENTRIES];

extern table_t port_tables[]; /* start.S: level 4, then level 3 and 2 of the first 4 GB */

static table_t spare[SPARE] __attribute__((aligned(PAGE)));
static unsigned taken;

static uint64_t *new_table(void)
{
    return taken < SPARE ? spare[taken++] : NULL;
}

/* An entry that other CPUs may come by as soon as it is there: behind what it points to. */
static void set(uint64_t *entry, uint64_t value)
{
    __atomic_store_n(entry, value, __ATOMIC_RELEASE);
}

/* What an entry points to, if that is a table. */
static uint64_t *below(uint64_t entry)
{
    return (uint64_t *)(uintptr_t)(entry & ADDRESS);
}

/* The table of the next level that an entry points to; where there is none and `make`, a new one.
 * NULL: none, or no memory for it. */
static uint64_t *table_at(uint64_t *entry, bool make)
{
    if (*entry & PRESENT)
        return below(*entry);
    uint64_t *table = make ? new_table() : NULL;
    if (table)
        set(entry, (uintptr_t)table | MAPPED);
    return table;
}

/* The entry of level 2 for an address below 2^VIRTUAL_BITS. NULL: not mapped, or no memory. */
static uint64_t *large_of(uint64_t address, bool make)
{
    uint64_t *table = port_tables[0];
    unsigned shift = SHIFT_LARGE + (LEVELS - 2) * SHIFT_LEVEL;
    for (; table && shift > SHIFT_LARGE; shift -= SHIFT_LEVEL)
        table = table_at(&table[address >> shift & (ENTRIES - 1)], make);
    return table ? &table[address >> SHIFT_LARGE & (ENTRIES - 1)] : NULL;
}

/* Small pages in the place of a large one. */
static bool split(uint64_t *large)
{
    uint64_t *small = new_table();
    if (!small)
        return false;
    for (unsigned i = 0; i < ENTRIES; i++)
        small[i] = (*large & ADDRESS) + ((uint64_t)i << SHIFT_SMALL) + MAPPED;
    set(large, (uintptr_t)small | MAPPED);
    return true;
}

static uint64_t *small_of(uint64_t *large, uint64_t address)
{
    return &below(*large)[address >> SHIFT_SMALL & (ENTRIES - 1)];
}

bool page_guard(const void *page)
{
    uint64_t address = (uintptr_t)page;
    uint64_t *large = large_of(address, false);
    if (!large || !(*large & PRESENT) || ((*large & LARGE) && !split(large)))
        return false;
    *small_of(large, address) = 0;
    __asm__ volatile("invlpg (%0)" ::"r"(page) : "memory");
    return true;
}

bool page_is_guard(uint64_t address)
{
    const uint64_t *large = address >> VIRTUAL_BITS == 0 ? large_of(address, false) : NULL;
    return large && (*large & PRESENT) && !(*large & LARGE) &&
           !(*small_of((uint64_t *)large, address) & PRESENT);
}

/* How many bits of an address the CPU has. */
static unsigned address_bits(void)
{
    if (x86_id(CPUID_LAST).a < CPUID_ADDRESSES)
        return OLD_BITS;
    unsigned bits = x86_id(CPUID_ADDRESSES).a & 0xFFu;
    return bits < VIRTUAL_BITS ? bits : VIRTUAL_BITS;
}

/* One large page, of a device. */
static bool map_locked(uint64_t page)
{
    uint64_t *large = large_of(page << SHIFT_LARGE, true);
    if (large && !(*large & PRESENT))
        set(large, (page << SHIFT_LARGE) | MAPPED | UNCACHED | LARGE);
    return large != NULL;
}

bool page_map(uint64_t from, uint64_t bytes)
{
    uint64_t page = from >> SHIFT_LARGE, end = from + bytes, last = (end - 1) >> SHIFT_LARGE;
    bool mapped = bytes > 0 && end > from && (end - 1) >> address_bits() == 0;
    for (; mapped && page <= last; page++) {
        port_irq_t irq = port_irq_save();
        mapped = map_locked(page);
        port_irq_restore(irq);
    }
    return mapped;
}
