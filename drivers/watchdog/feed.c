/*
 * The thread that feeds a watchdog (include/takt/watchdog.h), and the cause of the last reset, on
 * every chip.
 */
#include <takt/port.h>
#include <takt/time.h>
#include <takt/watchdog.h>

#include "chip_watchdog.h"

static enum { NOT_ASKED, OTHER, WATCHDOG } reset_by;

bool takt_watchdog_caused_reset(void)
{
    port_irq_t irq = port_irq_save();
    if (reset_by == NOT_ASKED)
        reset_by = chip_watchdog_has_reset() ? WATCHDOG : OTHER;
    port_irq_restore(irq);
    return reset_by == WATCHDOG;
}

void takt_watchdog_thread(void *vcpu)
{
    uint32_t period_us = ((struct takt_vcpu *)vcpu)->period;
    takt_time_t next = takt_now();
    (void)takt_watchdog_caused_reset(); /* so that the chip is ready to tell of the next one */
    chip_watchdog_start(2 * period_us);
    for (;;) {
        next += period_us;
        (void)takt_sleep_until(next);
        chip_watchdog_feed();
    }
}
