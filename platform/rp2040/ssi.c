/*
 * XIP_SSI and XIP control, as far as a second boot stage needs them: settings are kept, each byte
 * sent gets one back from a small model of the flash chip (status, and the mode bits of EBh). What
 * a word takes to be read in place follows from them; before the controller is on, nothing waits.
 */
#include <string.h>

#include "rp2040.h"

enum {
    CTRLR0 = 0,
    SSIENR = 2,
    BAUDR = 5,
    TXFLR = 8,
    RXFLR = 9,
    SR = 10,
    IDR = 22,
    VERSION = 23,
    DR0 = 24,
    SPI_CTRLR0 = 61
};
enum {
    CMD_WRITE_STATUS2 = 0x31,
    CMD_READ_STATUS2 = 0x35,
    CMD_VOLATILE = 0x50, /* the next write of a status is one */
    CMD_JEDEC = 0x9f,
    CMD_QUAD_READ = 0xeb
};
enum { QUAD = 2, IN_LINES = 2 }; /* in the status; of TRANS_TYPE: command and address */

void takt_flash_two_lines(struct takt_machine *m)
{
    if (m->chip == &rp2040_chip)
        m->soc->two_lines = true;
}

void ssi_reset(struct takt_machine *m)
{
    memset(&m->soc->ssi, 0, sizeof m->soc->ssi);
    m->soc->xip_ctrl[0] = 3;
    cache_set_up(m, 0);
}

/* CTRLR0.SPI_FRF: one line, two, four. */
static uint32_t lines(const struct ssi *s)
{
    return 1u << (s->reg[CTRLR0] >> 21 & 3);
}

/* How many cycles of clk_sys a word takes in place; 0: the controller is off. */
static uint32_t word_cycles(const struct ssi *s)
{
    uint32_t form = s->reg[SPI_CTRLR0], kind = form & 3, wide = lines(s);
    uint32_t command = (form >> 8 & 3) != 0 ? 2u << (form >> 8 & 3) : 0;
    uint32_t address = (form >> 2 & 15) * 4;
    uint32_t clocks = command / (kind == IN_LINES ? wide : 1) + address / (kind == 0 ? 1 : wide) +
                      (form >> 11 & 31) + 32 / wide;
    return (s->reg[SSIENR] & 1) != 0 && wide > 1 ? clocks * s->reg[BAUDR] : 0;
}

static void set_up(struct takt_machine *m)
{
    struct ssi *s = &m->soc->ssi;
    uint32_t cycles = word_cycles(s), command = s->reg[SPI_CTRLR0] >> 8 & 3;
    if (cycles != 0 && command == 0 && !s->continuous)
        machine_fail(m, TAKT_STOP_FAULT, "flash: read without a command, but it expects one");
    cache_set_up(m, cycles);
}

static uint8_t flash_reply(struct takt_machine *m, uint8_t sent)
{
    static const uint8_t jedec[4] = {0, 0xef, 0x40, 0x15}; /* 2 MB */
    struct ssi *s = &m->soc->ssi;
    if (s->rx_count == 0 && s->position == 0)
        s->command = sent;
    uint32_t at = s->position++;
    if (s->command == CMD_VOLATILE)
        s->volatile_on = true;
    if (s->command == CMD_WRITE_STATUS2 && at == 1) {
        if (s->volatile_on && !m->soc->two_lines)
            s->status2 = sent;
        s->volatile_on = false;
    }
    if (s->command == CMD_READ_STATUS2 && at > 0)
        return s->status2;
    if (s->command == CMD_JEDEC && at < 4)
        return jedec[at];
    return 0;
}

/* A read by several lines: the command, address and mode bits in a word, then what is there. */
static void flash_read(struct ssi *s, uint32_t value)
{
    if (s->position++ == 0) {
        s->command = (uint8_t)value;
        return;
    }
    if (s->command == CMD_QUAD_READ && (s->status2 & QUAD) != 0)
        s->continuous = (value & 0x30) == 0x20;
    s->rx[0] = 0;
    s->rx_count = 1;
    s->position = 0;
}

uint32_t ssi_read(struct takt_machine *m, uint32_t offset)
{
    struct ssi *s = &m->soc->ssi;
    uint32_t index = offset / 4;
    if (index == SR)
        return 6u | (uint32_t)(s->rx_count != 0) << 3;
    if (index == RXFLR)
        return s->rx_count;
    if (index == IDR || index == VERSION)
        return index == IDR ? 0x51535049u : 0x3430312au;
    if (index == DR0) {
        if (s->rx_count == 0)
            return 0;
        uint8_t value = s->rx[0];
        memmove(s->rx, s->rx + 1, --s->rx_count);
        if (s->rx_count == 0)
            s->position = 0; /* the select line rises between transfers */
        return value;
    }
    if (index < 64)
        return s->reg[index];
    report_access(m, "SSI", 0x18000000u + offset, offset, false, 0);
    return 0;
}

void ssi_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct ssi *s = &m->soc->ssi;
    uint32_t index = offset / 4;
    if (index >= DR0 && index < DR0 + 36) {
        if ((s->reg[SSIENR] & 1) == 0)
            return;
        if (lines(s) > 1) {
            flash_read(s, value);
            return;
        }
        uint8_t reply = flash_reply(m, (uint8_t)value);
        if (s->rx_count < sizeof s->rx)
            s->rx[s->rx_count++] = reply;
    } else if (index < 64) {
        s->reg[index] = value;
        if (index == SSIENR && (value & 1) == 0)
            s->rx_count = s->position = 0;
        if (index == SSIENR)
            set_up(m);
    } else {
        report_access(m, "SSI", 0x18000000u + offset, offset, true, value);
    }
}

uint32_t xip_read(struct takt_machine *m, uint32_t offset)
{
    if (offset == 0x00)
        return m->soc->xip_ctrl[0];
    if (offset == 0x04)
        return 0;
    if (offset == 0x08)
        return 3; /* flushed, stream FIFO empty */
    if (offset == 0x0c || offset == 0x10) /* hits, accesses */
        return m->soc->xip_ctrl[offset / 4];
    report_access(m, "XIP", 0x14000000u + offset, offset, false, 0);
    return 0;
}

void xip_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    if (offset == 0x00)
        m->soc->xip_ctrl[0] = value & 0xb;
    else if (offset == 0x04)
        cache_flush(m);
    else if (offset == 0x0c || offset == 0x10)
        m->soc->xip_ctrl[offset / 4] = 0;
    else
        report_access(m, "XIP", 0x14000000u + offset, offset, true, value);
}
