/*
 * Predecoded code: one entry per halfword.
 *
 *   flash halfwords | 2 guards | RAM halfwords | guard | nowhere
 *
 * Guards fault when executed: running off the end of memory lands on one, and a jump to an
 * address without memory goes to `nowhere`, with the address kept in m->fetch. Code jumped to in
 * an alias of flash runs at its proper address.
 */
#include <stdlib.h>
#include <string.h>

#include "ops.h"

static uint32_t flash_entries(const struct takt_machine *m)
{
    return m->flash_size / 2;
}

static uint32_t ram_first(const struct takt_machine *m)
{
    return flash_entries(m) + 2;
}

static uint32_t nowhere(const struct takt_machine *m)
{
    return ram_first(m) + m->ram_size / 2 + 1;
}

int code_allocate(struct takt_machine *m)
{
    m->code = calloc(nowhere(m) + 1, sizeof *m->code);
    if (m->code == NULL)
        return -1;
    m->code[flash_entries(m)].op = m->code[flash_entries(m) + 1].op = OP_edge;
    m->code[nowhere(m) - 1].op = m->code[nowhere(m)].op = OP_edge;
    return 0;
}

uint32_t code_address(const struct takt_machine *m, const struct insn *i)
{
    uint32_t index = (uint32_t)(i - m->code);
    if (index < ram_first(m))
        return m->flash_base + index * 2;
    return index < nowhere(m) ? RAM_BASE + (index - ram_first(m)) * 2 : m->fetch;
}

void code_jump(struct takt_machine *m, uint32_t address)
{
    uint32_t flash = address - m->flash_base, ram = address - RAM_BASE;
    if (flash < m->flash_size) {
        m->at = m->code + flash / 2;
    } else if (ram < m->ram_size) {
        m->at = m->code + ram_first(m) + ram / 2;
    } else {
        const uint8_t *alias = m->chip->memory(m, address, 2);
        bool there = alias >= m->flash && alias < m->flash + m->flash_size;
        m->fetch = address;
        m->at = m->code + (there ? (uint32_t)(alias - m->flash) / 2 : nowhere(m));
    }
}

uint16_t code_halfword(const struct takt_machine *m, const struct insn *i)
{
    uint32_t index = (uint32_t)(i - m->code);
    uint16_t half = 0xde00; /* undefined: what follows the end of memory */
    if (index < flash_entries(m))
        memcpy(&half, m->flash + index * 2, 2);
    else if (index >= ram_first(m) && index < ram_first(m) + m->ram_size / 2)
        memcpy(&half, m->ram + (index - ram_first(m)) * 2, 2);
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
    if (address - m->flash_base < m->flash_size) {
        uint32_t first = (address - m->flash_base) / 2, before = first > 0;
        forget_entries(m, first - before, halves + before);
    } else if (address - RAM_BASE < m->ram_size) {
        uint32_t first = ram_first(m) + (address - RAM_BASE) / 2;
        forget_entries(m, first - 1, halves + 1);
    }
}
