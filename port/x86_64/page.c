/*
 * x86-64: page tables. start.S maps the first 4 GB by pages of 2 MB, one to one; here a large page
 * that has a guard in it is replaced by a table of small ones, and what lies above 4 GB is added.
 *
 *   port_tables (512 GB) -> level 3 (1 GB) -> level 2 (2 MB) -> level 1 (4 KB), beside guards
 *
 * Which memory may be cached is left to what the firmware has set (MTRR).
 */
#include "page.h"

#include <takt/port.h>

#include "layout.h"

enum {
    ENTRIES = 512,
    SPARE = 24, /* tables for what comes later */
    PRESENT = 1,
    WRITABLE = 2,
    LARGE = 0x80,
    SHIFT_LARGE = 21,
    SHIFT_HUGE = 30,
    SHIFT_SMALL = 12,
};

#define ADDRESS  0x000FFFFFFFFFF000u
#define MAPPED   (PRESENT | WRITABLE)

typedef uint64_t table_t[ENTRIES];

extern table_t port_tables[]; /* start.S: level 4, level 3, level 2 of the first 4 GB */

static table_t spare[SPARE] __attribute__((aligned(PAGE)));
static unsigned taken;

static uint64_t *new_table(void)
{
    return taken < SPARE ? spare[taken++] : NULL;
}

/* An entry that others may come by as soon as it is there: behind what it points to. */
static void set(uint64_t *entry, uint64_t value)
{
    __atomic_store_n(entry, value, __ATOMIC_RELEASE);
}

/* What an entry points to, if that is a table. */
static uint64_t *below(uint64_t entry)
{
    return (uint64_t *)(uintptr_t)(entry & ADDRESS);
}

/* The entry of level 2 for an address; NULL: not mapped. */
static uint64_t *large_of(uint64_t address)
{
    uint64_t gigabyte = address >> SHIFT_HUGE;
    if (gigabyte >= ENTRIES || !(port_tables[1][gigabyte] & PRESENT))
        return NULL;
    return &below(port_tables[1][gigabyte])[address >> SHIFT_LARGE & (ENTRIES - 1)];
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
    uint64_t *large = large_of(address);
    if (!large || ((*large & LARGE) && !split(large)))
        return false;
    *small_of(large, address) = 0;
    __asm__ volatile("invlpg (%0)" ::"r"(page) : "memory");
    return true;
}

bool page_is_guard(uint64_t address)
{
    const uint64_t *large = large_of(address);
    return large && !(*large & LARGE) && !(*small_of((uint64_t *)large, address) & PRESENT);
}

/* A gigabyte by large pages. */
static bool map_locked(uint64_t gigabyte)
{
    if (port_tables[1][gigabyte] & PRESENT)
        return true;
    uint64_t *large = new_table();
    if (!large)
        return false;
    for (uint64_t i = 0; i < ENTRIES; i++)
        large[i] = (gigabyte << SHIFT_HUGE) + (i << SHIFT_LARGE) + (MAPPED | LARGE);
    set(&port_tables[1][gigabyte], (uintptr_t)large | MAPPED);
    return true;
}

bool page_map(uint64_t from, uint64_t bytes)
{
    uint64_t gigabyte = from >> SHIFT_HUGE, last = (from + bytes - 1) >> SHIFT_HUGE;
    bool mapped = bytes > 0 && last >= gigabyte && last < ENTRIES;
    for (; mapped && gigabyte <= last; gigabyte++) {
        port_irq_t irq = port_irq_save();
        mapped = map_locked(gigabyte);
        port_irq_restore(irq);
    }
    return mapped;
}
