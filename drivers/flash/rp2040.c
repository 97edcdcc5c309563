/*
 * The flash chip of the pico by its commands, over one line of the SSI (data sheet 4.10) at a
 * quarter of clk_sys. The select line is driven by hand, so that a switch to another thread in the
 * middle of a command does no harm. From the first use on flash is not readable in place.
 */
#include <takt/nor_flash.h>
#include <takt/port.h>
#include <takt/time.h>

#include "../rp2040/rp2040.h"

/* From the linker. */
extern const char __takt_flash_start[], __takt_flash_end[];

enum command {
    PROGRAM = 0x02,
    READ = 0x03,
    STATUS = 0x05,
    WRITE_ENABLE = 0x06,
    ERASE = 0x20,
    NONE = 0xFF, /* ends continuous read, which expects an address: its mode bits are ones */
};
enum { STATUS_BUSY = 1 };
enum { RECEIVED = 8 };                             /* of the SSI's status */
enum { FRAMES_OF_8 = 7 << 16, CLOCK_DIVIDER = 4 }; /* one line, both ways */
enum { SELECTED = 2 << 8, NOT_SELECTED = 3 << 8 }; /* of a pin's control: output overridden */

#define LONGEST_PROGRAM_US 30000u
#define LONGEST_ERASE_US   4000000u
#define ERASE_STEP_US      5000u
#define PAGE_STEP_US       150u
#define FEW                16u /* bytes, written sooner than a thread has slept */

static uint8_t exchange(uint8_t sent)
{
    RP2040_SSI->dr0 = sent;
    while (!(RP2040_SSI->sr & RECEIVED)) {
    }
    return (uint8_t)RP2040_SSI->dr0;
}

static void select(void)
{
    RP2040_IO_QSPI->pin[RP2040_QSPI_SELECT].ctrl = SELECTED;
}

static void deselect(void)
{
    RP2040_IO_QSPI->pin[RP2040_QSPI_SELECT].ctrl = NOT_SELECTED;
}

static void alone(enum command command)
{
    select();
    (void)exchange((uint8_t)command);
    deselect();
}

static void begin_at(enum command command, uint32_t at)
{
    select();
    (void)exchange((uint8_t)command);
    (void)exchange((uint8_t)(at >> 16));
    (void)exchange((uint8_t)(at >> 8));
    (void)exchange((uint8_t)at);
}

/* Makes commands possible, the first time. */
static void take_over(void)
{
    static bool taken;
    if (taken)
        return;
    taken = true;
    RP2040_SSI->ssienr = 0;
    RP2040_SSI->baudr = CLOCK_DIVIDER;
    RP2040_SSI->ctrlr0 = FRAMES_OF_8;
    RP2040_SSI->ser = 1;
    RP2040_SSI->ssienr = 1;
    alone(NONE);
}

static bool is_busy(void)
{
    select();
    (void)exchange(STATUS);
    uint8_t status = exchange(0);
    deselect();
    return (status & STATUS_BUSY) != 0;
}

/* Sleeps in steps; 0: never. */
static int await_idle(uint32_t longest_us, uint32_t step_us)
{
    takt_time_t begun = port_now();
    while (is_busy()) {
        if (port_now() - begun > longest_us)
            return TAKT_ETIMEOUT;
        if (step_us != 0 && takt_sleep(step_us) != TAKT_OK)
            step_us = 0;
    }
    return TAKT_OK;
}

static bool is_free(uint32_t at, uint32_t count)
{
    uint32_t program = (uint32_t)(__takt_flash_end - __takt_flash_start);
    return at >= program && at < TAKT_NOR_BYTES && count <= TAKT_NOR_BYTES - at;
}

int takt_nor_read(uint32_t at, void *to, uint32_t count)
{
    if (at >= TAKT_NOR_BYTES || count > TAKT_NOR_BYTES - at)
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    take_over();
    begin_at(READ, at);
    for (uint8_t *byte = to; count > 0; count--)
        *byte++ = exchange(0);
    deselect();
    return TAKT_OK;
}

int takt_nor_program(uint32_t at, const void *from, uint32_t count)
{
    if (!is_free(at, count) || count == 0 || at % TAKT_NOR_PAGE + count > TAKT_NOR_PAGE)
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    bool few = count <= FEW;
    take_over();
    alone(WRITE_ENABLE);
    begin_at(PROGRAM, at);
    for (const uint8_t *byte = from; count > 0; count--)
        (void)exchange(*byte++);
    deselect();
    return await_idle(LONGEST_PROGRAM_US, few ? 0 : PAGE_STEP_US);
}

int takt_nor_erase(uint32_t at)
{
    at -= at % TAKT_NOR_SECTOR;
    if (!is_free(at, TAKT_NOR_SECTOR))
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    take_over();
    alone(WRITE_ENABLE);
    begin_at(ERASE, at);
    deselect();
    return await_idle(LONGEST_ERASE_US, ERASE_STEP_US);
}
