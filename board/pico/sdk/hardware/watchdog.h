/* The watchdog by the names of the pico's SDK (drivers/watchdog). Any context. */
#ifndef TAKT_HARDWARE_WATCHDOG_H
#define TAKT_HARDWARE_WATCHDOG_H

#include <hardware/structs/watchdog.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Resets the chip unless watchdog_update() comes within so many ms, 8388 at most. */
void watchdog_enable(uint32_t delay_ms, bool pause_on_debug);
void watchdog_disable(void);
void watchdog_update(void);

/* Resets the chip, at once or after a time; pc: what the boot ROM goes to then, 0: the program. */
void watchdog_reboot(uint32_t pc, uint32_t sp, uint32_t delay_ms);

#ifdef __cplusplus
}
#endif

/* What watchdog_enable() leaves in a register that a reset keeps. */
#define TAKT_WATCHDOG_ENABLED_ 0x54414B54u

static inline bool watchdog_caused_reboot(void)
{
    return watchdog_hw->reason != 0;
}

/* Its time was over, and it was not watchdog_reboot(). */
static inline bool watchdog_enable_caused_reboot(void)
{
    return watchdog_caused_reboot() && watchdog_hw->scratch[4] == TAKT_WATCHDOG_ENABLED_;
}

/* It counts down by two a microsecond (erratum RP2040-E1). */
static inline uint32_t watchdog_get_time_remaining_ms(void)
{
    return (watchdog_hw->ctrl & WATCHDOG_CTRL_TIME_BITS) / 2000u;
}

#endif
