/*
 * How programs with budgets begin, and begin anew: every server full, everybody in the band meant
 * for it.
 */
#include "vcpu.h"

#pragma weak takt_io_begin_locked

/* Bottom halves begin by waiting. */
static void set_bottoms_aside_locked(void)
{
    for (uint8_t place = 0; place < takt_core.count; place++) {
        if (!takt_vcpu_of(place) || !(takt_vcpu_of(place)->flags & TAKT_IO_VCPU))
            continue;
        takt_cpu.bottoms |= takt_set_of(place);
        takt_core.ready = takt_set_without(takt_core.ready, takt_set_of(place));
        takt_io_begin_locked(place);
    }
}

/* Every server full from `now`; ready threads into their bands. */
static void restart_locked(takt_time_t now)
{
    for (uint8_t place = 0; place < takt_core.count; place++) {
        takt_set_t bit = takt_set_of(place);
        if (takt_vcpu_of(place))
            takt_server_start(takt_vcpu_of(place), now);
        if (!((takt_core.ready | takt_cpu.background | takt_cpu.spent) & bit))
            continue;
        takt_cpu.background = takt_set_without(takt_cpu.background, bit);
        takt_cpu.spent = takt_set_without(takt_cpu.spent, bit);
        takt_core.ready |= bit;
        if (!takt_vcpu_of(place) || !takt_server_usable(takt_vcpu_of(place), now))
            takt_spend_locked(place);
    }
}

void takt_begin_first_locked(void)
{
    set_bottoms_aside_locked();
    restart_locked(port_now());
    takt_core.current = takt_pick_locked();
    takt_cpu.fresh =
        takt_set_without(takt_first_places(takt_core.count), takt_set_of(takt_core.current));
    takt_begin_locked(takt_core.current);
    takt_watch_locked();
}

void takt_vcpu_restart_all(void)
{
    port_irq_t irq = port_irq_save();
    takt_time_t now = port_now();
    takt_cpu.charging = false;
    takt_trace_locked(now, TAKT_EV_SETUP, takt_core.current, 0);
    restart_locked(now);
    takt_begin_locked(takt_core.current);
    takt_dispatch_locked(irq);
    port_irq_restore(irq);
}
