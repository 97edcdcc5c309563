/*
 * The flash chip on the board, a W25Q16JV: commands come byte by byte over one line while it is
 * selected; what erases or writes begins when it no longer is, and takes typical times of its data
 * sheet. While it is busy it answers nothing but its status: all else then is a fault.
 */
#include <string.h>

#include "rp2040.h"

enum {
    CMD_PROGRAM = 0x02,
    CMD_READ = 0x03,
    CMD_READ_STATUS = 0x05,
    CMD_WRITE_ENABLE = 0x06,
    CMD_ERASE = 0x20,
    CMD_WRITE_STATUS2 = 0x31,
    CMD_READ_STATUS2 = 0x35,
    CMD_VOLATILE = 0x50, /* the next write of a status is one */
    CMD_JEDEC = 0x9f,
    CMD_QUAD_READ = 0xeb,
    CMD_NONE = 0xff /* on one line it ends continuous read */
};
static const uint8_t known[] = {
    CMD_PROGRAM,      CMD_READ,         CMD_READ_STATUS, CMD_WRITE_ENABLE, CMD_ERASE, CMD_WRITE_STATUS2,
    CMD_READ_STATUS2, CMD_VOLATILE,     CMD_JEDEC,       CMD_QUAD_READ,    CMD_NONE,
};
enum { BUSY = 1, WRITE_ENABLED = 2 }; /* of the status */
enum { QUAD = 2 };                    /* of the second */
enum { FIRST_DATA = 4 };              /* behind command and address */

#define SECTOR_BYTES  4096u
#define ERASE_US      45000u
#define PAGE_US       400u
#define FIRST_BYTE_US 30u
#define READ_MAX_HZ   50000000u
#define NEXT_BYTES_NS 2500u
#define ADDRESSES(m)  ((m)->flash_size - 1)

void takt_flash_two_lines(struct takt_machine *m)
{
    if (m->chip == &rp2040_chip)
        m->soc->two_lines = true;
}

bool flash_busy(const struct takt_machine *m)
{
    return m->now < m->soc->flash.busy_until;
}

static void busy_for(struct takt_machine *m, uint64_t ns)
{
    m->soc->flash.busy_until = m->now + ns * m->chip->hz(m) / 1000000000;
}

static void begin(struct takt_machine *m, uint8_t command)
{
    struct flash *f = &m->soc->flash;
    if (memchr(known, command, sizeof known) == NULL)
        machine_fail(m, TAKT_STOP_FAULT, "flash: command %02Xh is not modelled", command);
    if (f->continuous && command != CMD_NONE)
        machine_fail(m, TAKT_STOP_FAULT, "flash: command %02Xh, but it expects an address", command);
    if (flash_busy(m) && command != CMD_READ_STATUS)
        machine_fail(m, TAKT_STOP_FAULT, "flash: command %02Xh while it is busy", command);
    if (command == CMD_READ && ssi_hz(m) > READ_MAX_HZ)
        machine_fail(m, TAKT_STOP_FAULT, "flash: command 03h faster than 50 MHz");
    f->continuous = false;
    f->command = command;
    f->address = 0;
    memset(f->page, 0xff, sizeof f->page);
    if (command == CMD_WRITE_ENABLE)
        f->write_enabled = true;
    f->volatile_on = command == CMD_VOLATILE || (f->volatile_on && command == CMD_WRITE_STATUS2);
}

static uint8_t status(const struct takt_machine *m)
{
    return (flash_busy(m) ? BUSY : 0) | (m->soc->flash.write_enabled ? WRITE_ENABLED : 0);
}

/* The byte at `at` > 0 of a command. */
static uint8_t go_on(struct takt_machine *m, uint32_t at, uint8_t sent)
{
    static const uint8_t jedec[FIRST_DATA] = {0, 0xef, 0x40, 0x15}; /* 2 MB */
    struct flash *f = &m->soc->flash;
    if (f->command == CMD_READ_STATUS)
        return status(m);
    if (f->command == CMD_READ_STATUS2)
        return f->status2;
    if (f->command == CMD_JEDEC && at < FIRST_DATA)
        return jedec[at];
    if (f->command == CMD_WRITE_STATUS2 && at == 1) {
        if (f->volatile_on && !m->soc->two_lines)
            f->status2 = sent;
        f->volatile_on = false;
    }
    if (at < FIRST_DATA) {
        f->address = f->address << 8 | sent;
        return 0;
    }
    uint32_t offset = at - FIRST_DATA;
    if (f->command == CMD_PROGRAM) /* what exceeds the page begins at its start again */
        f->page[(f->address + offset) % sizeof f->page] = sent;
    return f->command == CMD_READ ? m->flash[(f->address + offset) & ADDRESSES(m)] : 0;
}

uint8_t flash_exchange(struct takt_machine *m, uint8_t sent)
{
    struct flash *f = &m->soc->flash;
    if (f->position++ != 0)
        return go_on(m, f->position - 1, sent);
    begin(m, sent);
    return 0;
}

/* Bits become 0 only. */
static void program(struct takt_machine *m, uint32_t count)
{
    struct flash *f = &m->soc->flash;
    uint32_t page = f->address & ADDRESSES(m) & ~(uint32_t)(sizeof f->page - 1);
    for (uint32_t k = 0; k < sizeof f->page; k++)
        m->flash[page + k] &= f->page[k];
    code_forget(m, m->flash_base + page, sizeof f->page);
    uint64_t ns = FIRST_BYTE_US * 1000u + (count - 1) * NEXT_BYTES_NS;
    busy_for(m, ns < PAGE_US * 1000u ? ns : PAGE_US * 1000u);
}

static void erase(struct takt_machine *m)
{
    uint32_t sector = m->soc->flash.address & ADDRESSES(m) & ~(SECTOR_BYTES - 1);
    memset(m->flash + sector, 0xff, SECTOR_BYTES);
    code_forget(m, m->flash_base + sector, SECTOR_BYTES);
    busy_for(m, ERASE_US * 1000u);
}

void flash_deselect(struct takt_machine *m)
{
    struct flash *f = &m->soc->flash;
    uint32_t count = f->position;
    f->position = 0;
    bool whole = (f->command == CMD_PROGRAM && count > FIRST_DATA) ||
                 (f->command == CMD_ERASE && count == FIRST_DATA);
    if (!whole || count == 0)
        return;
    if (!f->write_enabled)
        machine_fail(m, TAKT_STOP_FAULT, "flash: command %02Xh, but writing is not enabled",
                     f->command);
    f->write_enabled = false;
    if (f->command == CMD_PROGRAM)
        program(m, count - FIRST_DATA);
    else
        erase(m);
}

void flash_read_by_lines(struct takt_machine *m, uint32_t value)
{
    struct flash *f = &m->soc->flash;
    if (f->position++ == 0) {
        begin(m, (uint8_t)value);
        return;
    }
    if (f->command == CMD_QUAD_READ && (f->status2 & QUAD) != 0)
        f->continuous = (value & 0x30) == 0x20;
    f->position = 0;
}
