/* WATCHDOG: the tick generator that feeds TIMER, scratch registers, and the watchdog itself, whose
 * firing ends the run as a fault. The reset that follows leaves the scratch registers alone. */
#include <string.h>

#include "rp2040.h"

enum { BY_TIMER = 1, BY_FORCE = 2 }; /* REASON */

uint32_t watchdog_tick_hz(const struct takt_machine *m)
{
    uint32_t tick = m->soc->watchdog.tick, cycles = tick & 0x1ff;
    return (tick & 0x200) != 0 && cycles != 0 ? m->soc->clocks.ref_hz / cycles : 0;
}

/* LOAD counts down by 2 per tick (datasheet, RP2040-E1). */
static void rearm(struct takt_machine *m)
{
    struct watchdog *w = &m->soc->watchdog;
    uint32_t hz = watchdog_tick_hz(m);
    bool on = (w->ctrl & 1u << 30) != 0 && hz != 0;
    uint64_t after = on ? (uint64_t)(w->load / 2) * chip_hz(m) / hz : 0;
    m->fed = on ? m->now : TAKT_NEVER;
    event_set(m, EV_WATCHDOG, on ? m->now + after : TAKT_NEVER);
}

void watchdog_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    (void)id, (void)when;
    m->soc->watchdog.reason = BY_TIMER;
    machine_watchdog(m);
}

static void watchdog_reset(struct takt_machine *m)
{
    struct watchdog before = m->soc->watchdog;
    m->soc->watchdog = (struct watchdog){.ctrl = 7u << 24};
    if (!m->by_watchdog)
        return;
    m->soc->watchdog.reason = before.reason;
    memcpy(m->soc->watchdog.scratch, before.scratch, sizeof before.scratch);
}

/* TIME of CTRL: twice the ticks that are left. */
static uint32_t time_left(const struct takt_machine *m)
{
    uint64_t at = m->event_at[EV_WATCHDOG];
    if (at == TAKT_NEVER || at < m->now)
        return 0;
    return (uint32_t)(2 * ((at - m->now) * watchdog_tick_hz(m) / chip_hz(m)));
}

static uint32_t watchdog_read(struct takt_machine *m, uint32_t offset)
{
    const struct watchdog *w = &m->soc->watchdog;
    if (offset >= 0x0c && offset < 0x2c)
        return w->scratch[(offset - 0x0c) / 4];
    if (offset == 0x00)
        return w->ctrl | time_left(m);
    if (offset == 0x08)
        return w->reason;
    if (offset == 0x2c)
        return w->tick | (w->tick & 0x200) << 1;
    report_access(m, "WATCHDOG", 0x40058000u + offset, offset, false, 0);
    return 0;
}

static void force(struct takt_machine *m)
{
    m->soc->watchdog.reason = BY_FORCE;
    machine_fail(m, TAKT_STOP_FAULT, "the program had the watchdog reset the chip");
    m->by_watchdog = true;
}

static void watchdog_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct watchdog *w = &m->soc->watchdog;
    if (offset >= 0x0c && offset < 0x2c) {
        w->scratch[(offset - 0x0c) / 4] = value;
    } else if (offset == 0x00) {
        w->ctrl = value & 0x47000000u;
        rearm(m);
        if ((value >> 31) != 0)
            force(m);
    } else if (offset == 0x04) {
        w->load = value & 0xffffff;
        rearm(m);
    } else if (offset == 0x2c) {
        w->tick = value & 0x3ff;
        timer_clock_changed(m);
        rearm(m);
    } else {
        report_access(m, "WATCHDOG", 0x40058000u + offset, offset, true, value);
    }
}

const struct device watchdog_device = {"WATCHDOG",    0x40058000,     -1,
                                       watchdog_read, watchdog_write, watchdog_reset};
