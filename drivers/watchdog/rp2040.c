/*
 * The watchdog of the RP2040, also by the names of the pico's SDK (data sheet 4.7). Its counter
 * goes down by two a microsecond (erratum RP2040-E1) of the kernel's clock. What it resets is all
 * but the oscillators; the boot ROM then starts the program, or what is in registers that a reset
 * keeps (2.8.1.1).
 */
#include <hardware/watchdog.h>
#include <takt/port.h>

#include "../rp2040/rp2040.h"
#include "chip_watchdog.h"

#define PER_US      2u
#define LOAD_MAX    0xFFFFFFu
#define BOOT_MAGIC  0xB007C0D3u
#define PSM_WDSEL   (*(rp2040_reg *)0x40010008u)
#define OSCILLATORS 3u
#define PSM_ALL     0x1FFFFu
#define PAUSES                                                                                     \
    (WATCHDOG_CTRL_PAUSE_JTAG_BITS | WATCHDOG_CTRL_PAUSE_DBG0_BITS | WATCHDOG_CTRL_PAUSE_DBG1_BITS)

static uint32_t load;

static void start(uint32_t delay_us, bool pauses)
{
    hw_clear_bits(&watchdog_hw->ctrl, WATCHDOG_CTRL_ENABLE_BITS | PAUSES);
    PSM_WDSEL = PSM_ALL & ~OSCILLATORS;
    load = delay_us < LOAD_MAX / PER_US ? delay_us * PER_US : LOAD_MAX;
    watchdog_update();
    hw_set_bits(&watchdog_hw->ctrl, WATCHDOG_CTRL_ENABLE_BITS | (pauses ? PAUSES : 0u));
}

static uint32_t in_us(uint32_t ms)
{
    return ms < UINT32_MAX / 1000 ? 1000 * ms : UINT32_MAX;
}

void watchdog_enable(uint32_t delay_ms, bool pause_on_debug)
{
    watchdog_hw->scratch[4] = TAKT_WATCHDOG_ENABLED_;
    start(in_us(delay_ms), pause_on_debug);
}

void watchdog_disable(void)
{
    hw_clear_bits(&watchdog_hw->ctrl, WATCHDOG_CTRL_ENABLE_BITS);
}

void watchdog_update(void)
{
    watchdog_hw->load = load;
}

void watchdog_reboot(uint32_t pc, uint32_t sp, uint32_t delay_ms)
{
    watchdog_hw->scratch[4] = pc != 0 ? BOOT_MAGIC : 0;
    if (pc != 0) {
        watchdog_hw->scratch[5] = (pc | 1u) ^ (0u - BOOT_MAGIC);
        watchdog_hw->scratch[6] = sp;
        watchdog_hw->scratch[7] = pc | 1u;
    }
    start(in_us(delay_ms), false);
    if (delay_ms == 0)
        hw_set_bits(&watchdog_hw->ctrl, WATCHDOG_CTRL_TRIGGER_BITS);
}

void chip_watchdog_start(uint32_t us)
{
    watchdog_hw->scratch[4] = TAKT_WATCHDOG_ENABLED_;
    start(us + 1, true);
}

void chip_watchdog_feed(void)
{
    watchdog_update();
}

bool chip_watchdog_has_reset(void)
{
    return watchdog_enable_caused_reboot();
}
