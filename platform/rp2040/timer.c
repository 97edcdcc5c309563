/*
 * TIMER: a 64-bit count of watchdog ticks (1 us when set up so) and four alarms that fire when
 * the low word equals ALARMn. An alarm set to the present or past fires after a full wrap.
 */
#include "rp2040.h"

static uint64_t muldiv(uint64_t a, uint64_t b, uint64_t c, bool up)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)((product + (up ? c - 1 : 0)) / c);
}

static uint64_t count_at(const struct timer *t, uint64_t cycle)
{
    if (t->rate == 0 || t->pause != 0)
        return t->count;
    uint64_t passed = cycle - t->epoch;
    if (t->period != 0 && passed <= UINT32_MAX)
        return t->count + (uint32_t)passed / t->period;
    if (t->period != 0)
        return t->count + passed / t->period;
    return t->count + muldiv(passed, t->rate, t->hz, false);
}

double timer_us(const struct takt_machine *m)
{
    const struct timer *t = &m->soc->timer;
    if ((m->soc->reset >> timer_device.reset_bit & 1) != 0)
        return 0;
    if (t->rate == 0 || t->pause != 0)
        return (double)t->count;
    return (double)t->count + (double)(m->now - t->epoch) * t->rate / t->hz;
}

static uint64_t cycle_of(const struct timer *t, uint64_t count)
{
    return t->epoch + muldiv(count - t->count, t->hz, t->rate, true);
}

static void arm(struct takt_machine *m, unsigned n)
{
    struct timer *t = &m->soc->timer;
    uint64_t at = TAKT_NEVER;
    if ((t->armed >> n & 1) != 0 && t->rate != 0 && t->pause == 0) {
        uint64_t now = count_at(t, m->now);
        uint32_t ahead = t->alarm[n] - (uint32_t)now;
        at = cycle_of(t, now + (ahead != 0 ? ahead : 1ull << 32));
    }
    event_set(m, EV_TIMER0 + n, at);
}

/* The count goes on from here at another rate (or from another value). */
static void rebase(struct takt_machine *m, uint64_t count)
{
    struct timer *t = &m->soc->timer;
    t->count = count;
    t->epoch = m->now;
    t->rate = watchdog_tick_hz(m);
    t->hz = chip_hz(m);
    t->period = t->rate != 0 && t->hz % t->rate == 0 ? t->hz / t->rate : 0;
    for (unsigned n = 0; n < 4; n++)
        arm(m, n);
}

void timer_clock_changed(struct takt_machine *m)
{
    struct timer *t = &m->soc->timer;
    if (t->rate != watchdog_tick_hz(m) || t->hz != chip_hz(m))
        rebase(m, count_at(t, m->now));
}

static void update_irqs(struct takt_machine *m)
{
    const struct timer *t = &m->soc->timer;
    uint32_t active = (t->intr | t->intf) & t->inte;
    for (unsigned n = 0; n < 4; n++)
        irq_line(m, IRQ_TIMER0 + n, (active >> n & 1) != 0);
}

void timer_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    struct timer *t = &m->soc->timer;
    (void)when;
    t->armed &= ~(1u << (id - EV_TIMER0));
    t->intr |= 1u << (id - EV_TIMER0);
    update_irqs(m);
}

static void timer_reset(struct takt_machine *m)
{
    m->soc->timer = (struct timer){.dbgpause = 7};
    rebase(m, 0);
    update_irqs(m);
}

static uint32_t timer_read(struct takt_machine *m, uint32_t offset)
{
    struct timer *t = &m->soc->timer;
    uint64_t now = count_at(t, m->now);
    uint32_t low = (uint32_t)now, high = (uint32_t)(now >> 32);
    if (offset == 0x28)
        return low;
    if (offset == 0x0c)
        t->latch_high = high;
    if (offset >= 0x10 && offset < 0x20)
        return t->alarm[(offset - 0x10) / 4];
    const uint32_t value[17] = {
        [2] = t->latch_high, [3] = low,
        [8] = t->armed,      [9] = high,
        [11] = t->dbgpause,  [12] = t->pause,
        [13] = t->intr,      [14] = t->inte,
        [15] = t->intf,      [16] = (t->intr | t->intf) & t->inte,
    };
    if (offset >= 0x08 && offset <= 0x40)
        return value[offset / 4];
    report_access(m, "TIMER", 0x40054000u + offset, offset, false, 0);
    return 0;
}

static void write_interrupts(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct timer *t = &m->soc->timer;
    if (offset == 0x34)
        t->intr &= ~value;
    else if (offset == 0x38)
        t->inte = value & 15;
    else
        t->intf = value & 15;
    update_irqs(m);
}

static void timer_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct timer *t = &m->soc->timer;
    if (offset >= 0x10 && offset < 0x20) {
        unsigned n = (offset - 0x10) / 4;
        t->alarm[n] = value;
        t->armed |= 1u << n;
        arm(m, n);
    } else if (offset == 0x20) {
        t->armed &= ~value;
        for (unsigned n = 0; n < 4; n++)
            arm(m, n);
    } else if (offset >= 0x34 && offset <= 0x3c) {
        write_interrupts(m, offset, value);
    } else if (offset == 0x04) {
        t->write_low = value;
    } else if (offset == 0x00) {
        rebase(m, (uint64_t)value << 32 | t->write_low);
    } else if (offset == 0x2c) {
        t->dbgpause = value & 6;
    } else if (offset == 0x30) {
        uint64_t now = count_at(t, m->now);
        t->pause = value & 1;
        rebase(m, now);
    } else {
        report_access(m, "TIMER", 0x40054000u + offset, offset, true, value);
    }
}

const struct device timer_device = {"TIMER", 0x40054000, 21, timer_read, timer_write, timer_reset};
