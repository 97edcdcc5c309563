/*
 * XIP_SSI and XIP control, as far as second boot stages and what writes the flash need them. A byte
 * sent over one line takes its clocks; the flash is selected from the first one until nothing is
 * left to send, or as its pin is told to be. What a word takes to be read in place follows from the
 * settings; before the controller is first on, nothing waits. Settings with which the flash would
 * not be reached are a fault.
 *
 * Not looked at: CTRLR1 (always one frame an access), RX_SAMPLE_DLY and the pads (data are always
 * in time), the interrupts, DMA.
 */
#include <string.h>

#include "rp2040.h"

enum {
    CTRLR0 = 0,
    CTRLR1 = 1,
    SSIENR = 2,
    SER = 4,
    BAUDR = 5,
    TXFLR = 8,
    RXFLR = 9,
    SR = 10,
    IDR = 22,
    VERSION = 23,
    DR0 = 24,
    SAMPLE_DELAY = 60,
    SPI_CTRLR0 = 61
};
/* CTRLR0 without the lines, and what it is for bytes (modes 0 and 3), for words in place. */
#define FORM   (0x01ffffffu & ~(3u << 21) & ~(15u << 12)) /* nor CFS, which is Microwire's */
#define BYTES  (7u << 16)
#define MODE_3 (3u << 6)
#define WORDS  (31u << 16 | 3u << 8)
enum { IS_BUSY = 1, NOT_FULL = 2, EMPTY = 4, RECEIVED = 8 }; /* of SR */
enum { IN_LINES = 2 };         /* of TRANS_TYPE: command and address */
enum { FORCED = 2, HIGH = 1 }; /* of a pin's OUTOVER */

#define BITS 8u

void ssi_reset(struct takt_machine *m)
{
    memset(&m->soc->ssi, 0, sizeof m->soc->ssi);
    memset(&m->soc->flash, 0, sizeof m->soc->flash);
    m->soc->xip_ctrl[0] = 3;
    cache_set_up(m, 0);
}

/* CTRLR0.SPI_FRF: one line, two, four. */
static uint32_t lines(const struct ssi *s)
{
    return 1u << (s->reg[CTRLR0] >> 21 & 3);
}

static bool is_on(const struct ssi *s)
{
    return (s->reg[SSIENR] & 1) != 0;
}

/* The flash is slave 0, and has a clock. */
static bool reaches_flash(const struct ssi *s)
{
    return s->reg[SER] == 1 && s->reg[BAUDR] != 0;
}

static uint32_t form(const struct ssi *s)
{
    return s->reg[CTRLR0] & FORM;
}

/* How many cycles of clk_sys a word takes in place. */
static uint32_t word_cycles(const struct ssi *s)
{
    uint32_t parts = s->reg[SPI_CTRLR0], kind = parts & 3, wide = lines(s);
    uint32_t command = (parts >> 8 & 3) != 0 ? 2u << (parts >> 8 & 3) : 0;
    uint32_t address = (parts >> 2 & 15) * 4;
    uint32_t clocks = command / (kind == IN_LINES ? wide : 1) + address / (kind == 0 ? 1 : wide) +
                      (parts >> 11 & 31) + 32 / wide;
    bool reads = is_on(s) && wide > 1 && reaches_flash(s) && form(s) == WORDS;
    return reads ? clocks * s->reg[BAUDR] : CACHE_UNREADABLE;
}

static void set_up(struct takt_machine *m)
{
    struct ssi *s = &m->soc->ssi;
    if (!is_on(s)) {
        s->rx_count = 0;
        if ((s->select_override & FORCED) == 0)
            flash_deselect(m);
    }
    uint32_t cycles = word_cycles(s), command = s->reg[SPI_CTRLR0] >> 8 & 3;
    if (cycles != CACHE_UNREADABLE && command == 0 && !m->soc->flash.continuous)
        machine_fail(m, TAKT_STOP_FAULT, "flash: read without a command, but it expects one");
    if (cycles != CACHE_UNREADABLE && flash_busy(m))
        machine_fail(m, TAKT_STOP_FAULT, "flash: made readable while it is busy");
    cache_set_up(m, cycles);
}

/* The select line rises when all is sent, unless its pin is told otherwise. */
static void bring_up_to_date(struct takt_machine *m)
{
    const struct ssi *s = &m->soc->ssi;
    if ((s->select_override & FORCED) == 0 && m->now >= s->sent_at && lines(s) == 1)
        flash_deselect(m);
}

static uint32_t received(const struct takt_machine *m)
{
    const struct ssi *s = &m->soc->ssi;
    uint32_t count = 0;
    while (count < s->rx_count && s->rx_at[count] <= m->now)
        count++;
    return count;
}

static uint32_t frame_cycles(const struct ssi *s)
{
    return BITS * s->reg[BAUDR];
}

static void receive(struct ssi *s, uint8_t value, uint64_t when)
{
    if (s->rx_count == SSI_FIFO)
        return;
    s->rx[s->rx_count] = value;
    s->rx_at[s->rx_count++] = when;
}

static uint8_t take(struct takt_machine *m)
{
    struct ssi *s = &m->soc->ssi;
    if (received(m) == 0)
        return 0;
    uint8_t value = s->rx[0];
    s->rx_count--;
    memmove(s->rx, s->rx + 1, s->rx_count);
    memmove(s->rx_at, s->rx_at + 1, s->rx_count * sizeof *s->rx_at);
    return value;
}

/* Why the flash would not get what is sent; NULL: it does. */
static const char *unsent(const struct ssi *s)
{
    if (s->reg[BAUDR] == 0)
        return "flash: data are sent, but BAUDR stops the clock";
    if (!reaches_flash(s))
        return "flash: data are sent, but SER selects no flash";
    if (lines(s) > 1)
        return form(s) == WORDS ? NULL : "flash: data are sent, but CTRLR0 has no words of 32 bits";
    bool bytes = form(s) == BYTES || form(s) == (BYTES | MODE_3);
    return bytes ? NULL : "flash: data are sent, but CTRLR0 has no frames of eight bits both ways";
}

static void send(struct takt_machine *m, uint32_t value)
{
    struct ssi *s = &m->soc->ssi;
    const char *why = unsent(s);
    if (!is_on(s)) {
        report_note(m, "SSI: data are written while it is off");
        return;
    }
    if (why != NULL) {
        machine_fail(m, TAKT_STOP_FAULT, "%s", why);
        return;
    }
    if (lines(s) > 1) {
        flash_read_by_lines(m, value);
        if (m->soc->flash.position == 0)
            receive(s, 0, m->now);
        return;
    }
    s->sent_at = (s->sent_at > m->now ? s->sent_at : m->now) + frame_cycles(s);
    bool selected = s->select_override != (FORCED | HIGH);
    receive(s, selected ? flash_exchange(m, (uint8_t)value) : 0xff, s->sent_at);
}

static uint32_t status(const struct takt_machine *m)
{
    const struct ssi *s = &m->soc->ssi;
    uint64_t left = s->sent_at > m->now ? s->sent_at - m->now : 0;
    return (left != 0 ? IS_BUSY : 0) | (left <= frame_cycles(s) * SSI_FIFO ? NOT_FULL : 0) |
           (left <= frame_cycles(s) ? EMPTY : 0) | (received(m) != 0 ? RECEIVED : 0);
}

uint32_t ssi_read(struct takt_machine *m, uint32_t offset)
{
    struct ssi *s = &m->soc->ssi;
    uint32_t index = offset / 4;
    bring_up_to_date(m);
    if (index == SR)
        return status(m);
    if (index == RXFLR)
        return received(m);
    if (index == IDR || index == VERSION)
        return index == IDR ? 0x51535049u : 0x3430312au;
    if (index == DR0)
        return take(m);
    if (index < 64)
        return s->reg[index];
    report_access(m, "SSI", 0x18000000u + offset, offset, false, 0);
    return 0;
}

uint64_t ssi_hz(const struct takt_machine *m)
{
    return m->chip->hz(m) / m->soc->ssi.reg[BAUDR];
}

/* Some are taken only while it is off. A divider is even. */
static void set(struct takt_machine *m, uint32_t index, uint32_t value)
{
    struct ssi *s = &m->soc->ssi;
    bool kept = index == CTRLR0 || index == CTRLR1 || index == BAUDR || index == SAMPLE_DELAY ||
                index == SPI_CTRLR0;
    if (kept && is_on(s)) {
        report_note(m, "SSI: a setting is written while it is on");
        return;
    }
    s->reg[index] = index == BAUDR ? value & 0xfffe : value;
    if (index == SSIENR)
        set_up(m);
}

void ssi_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    uint32_t index = offset / 4;
    bring_up_to_date(m);
    if (index >= DR0 && index < DR0 + 36)
        send(m, value);
    else if (index < 64)
        set(m, index, value);
    else
        report_access(m, "SSI", 0x18000000u + offset, offset, true, value);
}

void ssi_select(struct takt_machine *m, uint32_t override)
{
    bring_up_to_date(m);
    m->soc->ssi.select_override = override;
    if (override == (FORCED | HIGH))
        flash_deselect(m);
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
