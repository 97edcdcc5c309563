/*
 * Predecoded code: one entry per halfword.
 *
 *   flash halfwords | 2 guards | RAM halfwords | guard | nowhere
 *
 * Guards fault when executed: running off the end of memory lands on one, and a jump to an
 * address without memory goes to `nowhere`, with the address kept in m->fetch.
 */
#include <string.h>

#include "ops.h"

#define FLASH_ENTRIES (FLASH_SIZE / 2)
#define RAM_ENTRIES   (RAM_SIZE / 2)
#define RAM_FIRST     (FLASH_ENTRIES + 2)
#define NOWHERE       (RAM_FIRST + RAM_ENTRIES + 1)

uint32_t code_address(const struct takt_machine *m, const struct insn *i)
{
    uint32_t index = (uint32_t)(i - m->code);
    if (index < RAM_FIRST)
        return FLASH_BASE + index * 2;
    return index < NOWHERE ? RAM_BASE + (index - RAM_FIRST) * 2 : m->fetch;
}

void code_jump(struct takt_machine *m, uint32_t address)
{
    uint32_t flash = address - FLASH_BASE, ram = address - RAM_BASE;
    if (flash < FLASH_SIZE) {
        m->at = m->code + flash / 2;
    } else if (ram < RAM_SIZE) {
        m->at = m->code + RAM_FIRST + ram / 2;
    } else {
        m->fetch = address;
        m->at = m->code + NOWHERE;
    }
}

uint16_t code_halfword(const struct takt_machine *m, const struct insn *i)
{
    uint32_t index = (uint32_t)(i - m->code);
    uint16_t half = 0xde00; /* undefined: what follows the end of memory */
    if (index < FLASH_ENTRIES)
        memcpy(&half, m->flash + index * 2, 2);
    else if (index >= RAM_FIRST && index < RAM_FIRST + RAM_ENTRIES)
        memcpy(&half, m->ram + (index - RAM_FIRST) * 2, 2);
    return half;
}

static void forget_entries(struct takt_machine *m, uint32_t first, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        if (m->code[first + k].op != OP_edge)
            m->code[first + k].op = OP_decode;
    }
}

/* A 32-bit instruction may start one halfword before the bytes that changed. */
void code_forget(struct takt_machine *m, uint32_t address, uint32_t size)
{
    uint32_t halves = (size + (address & 1) + 1) / 2;
    if (address - FLASH_BASE < FLASH_SIZE) {
        uint32_t first = (address - FLASH_BASE) / 2, before = first > 0;
        forget_entries(m, first - before, halves + before);
    } else if (address - RAM_BASE < RAM_SIZE) {
        uint32_t first = RAM_FIRST + (address - RAM_BASE) / 2;
        forget_entries(m, first - 1, halves + 1);
    }
}
