/*
 * How programs with budgets begin, and begin anew: every server full, everybody in the band meant
 * for it.
 */
#include "use.h"

#if TAKT_HAS_BUDGETS

/* Bottom halves begin by waiting. */
static void set_bottoms_aside_locked(void)
{
    if (!TAKT_HAS_IO)
        return;
    for (uint8_t place = 0; place < takt_core.count; place++) {
        if (!takt_here(place) || !takt_vcpu_of(place) ||
            !(takt_vcpu_of(place)->flags & TAKT_IO_VCPU))
            continue;
        takt_cpu.bottoms |= takt_set_of(place);
        takt_core.ready = takt_set_without(takt_core.ready, takt_set_of(place));
        takt_io_begin_locked(place);
    }
}

static void begin_accounts_locked(void)
{
    takt_cpu.payer = &takt_cpu.spare;
    takt_cpu.events_for = takt_cpu.rang_for = TAKT_NOBODY;
    takt_cpu.events_at = port_now() + TAKT_ALARM_FAR;
    takt_use_start();
}

/* Every server full from `now`; ready threads into their bands. */
static void restart_locked(takt_time_t now)
{
    for (uint8_t place = 0; place < takt_core.count; place++) {
        takt_set_t bit = takt_set_of(place);
        if (!takt_here(place))
            continue;
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

#if PORT_CPUS > 1
void takt_begin_cpu_locked(void)
{
    takt_cpu.fresh = takt_core.ready;
    begin_accounts_locked();
    set_bottoms_aside_locked();
    restart_locked(port_now());
}

struct restart {
    struct takt_cross_call call;
    takt_time_t from;
};

static void restart_here_locked(struct takt_cross_call *call)
{
    takt_use_lapse_locked();
    takt_cpu.payer = &takt_cpu.spare;
    takt_cpu.charging = false; /* the dispatcher opens another account */
    restart_locked(((struct restart *)call)->from);
}

/* All other CPUs' budgets begin at one instant, which it returns. */
static takt_time_t restart_others(void)
{
    takt_time_t from = port_now();
    for (uint8_t cpu = 0; cpu < takt_cpus(); cpu++) {
        struct restart restart = {{.run_locked = restart_here_locked}, from};
        if (cpu != port_cpu())
            takt_cross_call(cpu, &restart.call);
    }
    return from;
}
#else
#define restart_others port_now

void takt_begin_first_locked(void)
{
    begin_accounts_locked();
    set_bottoms_aside_locked();
    takt_time_t now = port_now();
    restart_locked(now);
    takt_core.current = takt_pick_locked();
    takt_cpu.fresh =
        takt_set_without(takt_first_places(takt_core.count), takt_set_of(takt_core.current));
    takt_begin_locked(takt_core.current, now);
    takt_open_locked();
    takt_watch_locked();
}
#endif

void takt_vcpu_restart_all(void)
{
    takt_time_t from = PORT_CPUS > 1 ? restart_others() : 0;
    port_irq_t irq = port_irq_save();
    takt_time_t now = port_now();
    takt_cpu.charging = false;
    takt_trace_locked(now, TAKT_EV_SETUP, takt_core.current, 0);
    takt_use_lapse_locked();
    takt_cpu.payer = &takt_cpu.spare; /* no thread pays for setup() */
    restart_locked(PORT_CPUS > 1 ? from : now);
    takt_begin_locked(takt_core.current, now);
    takt_use_open_locked();
    takt_watch_locked();
    takt_dispatch_locked(irq);
    port_irq_restore(irq);
}

#endif
