/*
 * What a chip's driver does of a watchdog (feed.c). Private to drivers/.
 */
#ifndef TAKT_CHIP_WATCHDOG_H
#define TAKT_CHIP_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Makes ready to reset the chip unless it is fed once within so many us, however fast the
 * watchdog's oscillator is and however slow the kernel's clock. Counts from here on, or from the
 * first time that it is fed, which is TAKT_WATCHDOG_LEAST_US later or more. Thread context, once.
 */
void chip_watchdog_start(uint32_t us);

void chip_watchdog_feed(void);

/* Has it reset the chip? Asked once, as the chip may forget it then. Either context. */
bool chip_watchdog_has_reset(void);

#endif
