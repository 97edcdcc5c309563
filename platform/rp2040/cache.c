/*
 * The flash in the address space (data sheet 2.6.3): a cache of 16 KB, two ways of 1024 lines of 8
 * bytes, whose halves are filled one by one when they are wanted. What the cache does not hold is
 * read over the serial bus, a word at a time, while the CPU waits:
 *
 *   command, if any | address | mode bits | dummy clocks | 32 bits     at clk_sys / BAUDR
 *
 * and OVERHEAD cycles more, for the select line and the way through the controller: 40 + 8 cycles
 * and the load's 2 with EBh in continuous read at half the clock are the 400 ns at 125 MHz that
 * have been measured (docs/decisions.md). The data sheet does not say which way is filled: here,
 * that which was used less recently.
 *
 * As the core fetches a word ahead, an instruction needs the word in which the next begins, too.
 */
#include <string.h>

#include "rp2040.h"

#define OVERHEAD 8u

enum { CTRL_EN = 1, HIT = 3, ACCESSES = 4 }; /* words of the XIP control block */
enum { ALLOCATES = 1, CHECKS = 2 };          /* of the four aliases */

void cache_flush(struct takt_machine *m)
{
    struct cache *cache = &m->soc->cache;
    memset(cache->set, 0, sizeof cache->set);
    cache->last = UINT32_MAX;
}

/* The way that holds a line; 2: none does. */
static uint32_t way_of(const struct cache_set *set, uint32_t tag)
{
    uint32_t way = 0;
    while (way < 2 && (set->way[way].valid == 0 || set->way[way].tag != tag))
        way++;
    return way;
}

static bool holds(struct takt_machine *m, uint32_t word, uint32_t kind)
{
    struct cache_set *set = &m->soc->cache.set[word / 2 % CACHE_SETS];
    uint32_t tag = word / 2 / CACHE_SETS, half = 1u << word % 2, way = way_of(set, tag);
    if ((kind & CHECKS) != 0 && way < 2 && (set->way[way].valid & half) != 0) {
        set->older = 1 - way;
        return true;
    }
    if ((kind & ALLOCATES) != 0) {
        if (way == 2) {
            way = set->older;
            set->way[way] = (struct cache_way){tag, 0};
        }
        set->way[way].valid = (uint8_t)(set->way[way].valid | half);
        set->older = 1 - way;
    }
    return false;
}

/* Of whoever reads. */
uint32_t cache_look(struct takt_machine *m, uint32_t address)
{
    static const uint8_t kinds[4] = {ALLOCATES | CHECKS, CHECKS, ALLOCATES, 0};
    struct cache *cache = &m->soc->cache;
    if (cache->word_cycles == 0)
        return 0;
    uint32_t word = (address & 0xffffff) / 4;
    uint32_t kind = (m->soc->xip_ctrl[0] & CTRL_EN) != 0 ? kinds[address >> 24 & 3] : 0;
    m->soc->xip_ctrl[ACCESSES]++;
    if (holds(m, word, kind)) {
        m->soc->xip_ctrl[HIT]++;
        return 0;
    }
    if (cache->word_cycles == CACHE_UNREADABLE) {
        machine_fail(m, TAKT_STOP_FAULT, "flash: read in place, but set up for commands");
        return 0;
    }
    return cache->word_cycles + OVERHEAD;
}

uint32_t cache_wait(struct takt_machine *m, uint32_t address)
{
    uint32_t wait = cache_look(m, address);
    if (wait != 0)
        delivered_waited(m, wait);
    return wait;
}

uint32_t cache_fetch_wait(struct takt_machine *m, uint32_t address, uint32_t size)
{
    struct cache *cache = &m->soc->cache;
    uint32_t wait = 0, ends[2] = {address & ~3u, (address + size) & ~3u};
    for (uint32_t k = 0; k < 2; k++) {
        if (ends[k] != cache->last)
            wait += cache_wait(m, ends[k]);
        cache->last = ends[k];
    }
    return wait;
}

/* The bus is as the controller's registers say now; 0: nothing has set it up. */
void cache_set_up(struct takt_machine *m, uint32_t word_cycles)
{
    m->soc->cache.word_cycles = m->wait_forced ? 0 : word_cycles;
    bool cached = m->soc->cache.word_cycles != 0;
    if (cached == m->flash_cached)
        return;
    m->flash_cached = cached;
    code_forget(m, m->flash_base, m->flash_size);
}
