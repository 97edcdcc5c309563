/*
 * Break addresses. The instruction there is replaced: one of a word by SLEEP, one of two words by a
 * store to a register nobody has, so that a skip over it stays as long as it was. The run loop sees
 * either, takes it back and stops.
 */
#include "avr.h"

#define SLEEP   0x9588u
#define STS     0x9200u
#define NOBODYS 0xffu

static void put_word(struct takt_machine *m, uint32_t address, uint16_t word)
{
    uint8_t *flash = m->mega->cpu->flash;
    for (uint32_t at = address % m->flash_size; at < 0x10000; at += m->flash_size) {
        flash[at] = (uint8_t)word;
        flash[at + 1] = (uint8_t)(word >> 8);
    }
}

static bool is_long(uint16_t op)
{
    uint16_t kind = op & 0xfe0f;
    return kind == 0x9000 || kind == 0x9200 || (op & 0xfe0c) == 0x940c;
}

static struct patch *find(const struct takt_machine *m, uint32_t address)
{
    struct patch *patch = m->mega->patch;
    for (uint32_t k = 0; k < m->break_count; k++) {
        if (patch[k].address == address)
            return &patch[k];
    }
    return NULL;
}

bool break_is(const struct takt_machine *m, uint32_t address)
{
    return m->break_count != 0 && find(m, address) != NULL;
}

void break_lift(struct takt_machine *m, uint32_t address)
{
    const struct patch *p = find(m, address);
    put_word(m, address, p->was[0]);
    if (is_long(p->was[0]))
        put_word(m, address + 2, p->was[1]);
}

void break_put(struct takt_machine *m, uint32_t address)
{
    struct patch *p = find(m, address);
    p->was[0] = flash_word(m, address);
    p->was[1] = flash_word(m, address + 2);
    if (is_long(p->was[0])) {
        put_word(m, address, STS);
        put_word(m, address + 2, NOBODYS);
    } else {
        put_word(m, address, SLEEP);
    }
}

int takt_break_at(struct takt_machine *m, uint32_t address, int32_t on)
{
    struct patch *p = find(m, address);
    if ((address & 1) != 0 || address >= m->flash_size)
        return -1;
    if (p != NULL && on == 0) {
        break_lift(m, address);
        *p = m->mega->patch[--m->break_count];
    } else if (p == NULL && on != 0) {
        if (m->break_count == 32)
            return -1;
        m->mega->patch[m->break_count++].address = address;
        break_put(m, address);
    }
    return 0;
}
