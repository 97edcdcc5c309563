/* The store the coming instruction makes, for those who watch or log addresses. */
#include "avr.h"

static uint16_t pair(const struct takt_machine *m, unsigned low)
{
    return (uint16_t)(m->mega->d[low] | m->mega->d[low + 1] << 8);
}

/* ST with X, Y or Z, plain, counted up after or down before. */
static int indirect(const struct takt_machine *m, uint16_t op)
{
    switch (op & 15) {
    case 0x1:
        return pair(m, R_ZL);
    case 0x2:
        return pair(m, R_ZL) - 1;
    case 0x9:
        return pair(m, R_YL);
    case 0xa:
        return pair(m, R_YL) - 1;
    case 0xc:
    case 0xd:
        return pair(m, R_XL);
    case 0xe:
        return pair(m, R_XL) - 1;
    }
    return -1;
}

/* Where it stores, or -1. */
static int stored_at(const struct takt_machine *m, uint16_t op)
{
    if ((op & 0xd200) == 0x8200) { /* STD */
        int q = (op >> 8 & 0x20) | (op >> 7 & 0x18) | (op & 7);
        return pair(m, (op & 8) != 0 ? R_YL : R_ZL) + q;
    }
    if ((op & 0xf800) == 0xb800) /* OUT */
        return (op >> 5 & 0x30) + (op & 15) + 32;
    if ((op & 0xfe00) != 0x9200)
        return -1;
    if ((op & 15) == 0)
        return flash_word(m, m->mega->cpu->pc + 2);
    if ((op & 15) == 15)
        return pair(m, R_SPL);
    return indirect(m, op);
}

static bool listed(const uint32_t *list, uint32_t count, uint32_t address)
{
    for (uint32_t k = 0; k < count; k++) {
        if (list[k] == address)
            return true;
    }
    return false;
}

/* core/bus.c's counterpart. The access is in cycle m->now. */
void store_seen(struct takt_machine *m, uint32_t address, uint32_t value, uint32_t size)
{
    (void)size;
    struct takt_store store = {m->now, address, value};
    if (listed(m->write_logs, m->write_log_count, address))
        record_add(&m->stores, &store, sizeof store);
    if (listed(m->watches, m->watch_count, address))
        machine_stop(m, TAKT_STOP_WRITE, m->now, address);
}

/* Registers are seen where they are written. */
void store_look(struct takt_machine *m)
{
    uint16_t op = flash_word(m, m->mega->cpu->pc);
    int at = stored_at(m, op);
    if (at < (int)IO_END)
        return;
    m->now++; /* stores take place in the second cycle */
    store_seen(m, DATA_BASE + (uint32_t)at, m->mega->d[op >> 4 & 31], 1);
    m->now--;
}

static bool beyond(const uint32_t *list, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        if (list[k] >= DATA_BASE + IO_END)
            return true;
    }
    return false;
}

/* Does anybody watch or log RAM? */
bool stores_matter(const struct takt_machine *m)
{
    return beyond(m->watches, m->watch_count) || beyond(m->write_logs, m->write_log_count);
}
