/*
 * Counting. A timer is brought up to date when somebody looks; only what sets the flag of an
 * enabled interrupt, moves a pin or takes a buffered compare value into use is an event.
 *
 * A flag is set with the tick that leaves the value compared with (data sheet: "at the next timer
 * clock cycle"), TOV and ICF likewise with the tick that leaves BOTTOM, MAX or TOP.
 */
#include "avr.h"

enum { TIFR_TOV = 1, TIFR_OCA = 2, TIFR_ICF = 0x20 };
enum kind { NORMAL, CTC, FAST, DUAL };

struct mode {
    uint8_t kind, top; /* top: 0 MAX, 1 OCRA, 2 ICR, else 2^top - 1 */
};

static struct mode mode_of(const struct takt_machine *m, unsigned n)
{
    static const struct mode small[8] = {{NORMAL, 0}, {DUAL, 8}, {CTC, 1}, {FAST, 8},
                                         {NORMAL, 0}, {DUAL, 1}, {NORMAL, 0}, {FAST, 1}};
    static const struct mode large[16] = {
        {NORMAL, 0}, {DUAL, 8}, {DUAL, 9}, {DUAL, 10}, {CTC, 1}, {FAST, 8},   {FAST, 9}, {FAST, 10},
        {DUAL, 2},   {DUAL, 1}, {DUAL, 2}, {DUAL, 1},  {CTC, 2}, {NORMAL, 0}, {FAST, 2}, {FAST, 1}};
    unsigned wgm = timer_wgm(m, n);
    return n == 1 ? large[wgm] : small[wgm];
}

bool timer_is_dual(const struct takt_machine *m, unsigned n)
{
    return mode_of(m, n).kind == DUAL;
}

bool timer_is_pwm(const struct takt_machine *m, unsigned n)
{
    return mode_of(m, n).kind >= FAST;
}

uint16_t timer_top(const struct takt_machine *m, const struct timer *t, unsigned n)
{
    unsigned top = mode_of(m, n).top;
    if (top == 0)
        return timer_max(n);
    return top == 1 ? t->ocr[0] : top == 2 ? t->icr : (uint16_t)((1u << top) - 1);
}

static uint64_t ticks_until(const struct takt_machine *m, unsigned n, uint64_t when)
{
    const struct timer *t = &m->mega->timer[n];
    uint64_t zero = m->mega->prescaler[n];
    return t->div == 0 ? 0 : (when - zero) / t->div - (t->base - zero) / t->div;
}

/* The cycle of tick number `ticks` from the timer's base on. */
uint64_t timer_next_tick(const struct takt_machine *m, unsigned n, uint64_t ticks)
{
    const struct timer *t = &m->mega->timer[n];
    uint64_t zero = m->mega->prescaler[n];
    return zero + ((t->base - zero) / t->div + ticks) * t->div;
}

/* What a stretch of ticks in one direction, up to the first value left that matters, brings. */
struct leg {
    uint32_t ticks;
    uint8_t flags;
    bool wraps, falls, tops, bottoms; /* to 0; turns down; leaves TOP; leaves 0 on the way down */
};

static uint32_t ticks_to_leave(const struct timer *t, uint16_t value)
{
    uint32_t way = t->down ? (uint32_t)(t->count - value) : (uint32_t)(value - t->count);
    bool ahead = t->down ? value <= t->count : value >= t->count;
    return ahead ? way + 1 : UINT32_MAX;
}

/* Where it turns. A TOP that lies behind is missed: it goes on to MAX. */
static uint16_t turn(const struct takt_machine *m, const struct timer *t, unsigned n)
{
    uint16_t top = timer_top(m, t, n);
    return t->down ? 0 : t->count <= top ? top : timer_max(n);
}

static struct leg next_leg(const struct takt_machine *m, const struct timer *t, unsigned n)
{
    struct mode mode = mode_of(m, n);
    uint16_t end = turn(m, t, n);
    struct leg leg = {.ticks = ticks_to_leave(t, end)};
    for (unsigned k = 0; k < 2; k++) {
        uint32_t ticks = ticks_to_leave(t, t->ocr[k]);
        if (ticks > leg.ticks || (ticks == 1 && t->blocked))
            continue;
        leg.flags = (uint8_t)((ticks < leg.ticks ? 0 : leg.flags) | TIFR_OCA << k);
        leg.ticks = ticks;
    }
    if (leg.ticks < ticks_to_leave(t, end))
        return leg;
    leg.tops = !t->down && end == timer_top(m, t, n);
    leg.wraps = mode.kind != DUAL;
    leg.falls = mode.kind == DUAL && !t->down;
    leg.bottoms = mode.kind == DUAL && t->down;
    bool over = mode.kind == FAST ? leg.tops : end == timer_max(n) && leg.wraps;
    leg.flags |= over || leg.bottoms ? TIFR_TOV : 0;
    leg.flags |= leg.tops && mode.top == 2 ? TIFR_ICF : 0;
    return leg;
}

static void move(struct timer *t, struct leg leg)
{
    uint16_t end = (uint16_t)(t->count + leg.ticks - 1); /* upwards */
    t->blocked = false;
    if (leg.wraps)
        t->count = 0;
    else if (leg.falls)
        t->count = end != 0 ? end - 1 : 0;
    else if (leg.bottoms)
        t->count = 1;
    else
        t->count = (uint16_t)(t->down ? t->count - leg.ticks : end + 1u);
    t->down = leg.falls || (t->down && !leg.bottoms);
}

/* Compare values come into use: fast PWM at BOTTOM, phase correct at TOP, with the frequency
 * corrected too at BOTTOM. */
static bool takes_over(const struct takt_machine *m, unsigned n, struct leg leg)
{
    unsigned wgm = timer_wgm(m, n);
    if (!timer_is_pwm(m, n))
        return false;
    bool at_bottom = n == 1 && (wgm == 8 || wgm == 9);
    return timer_is_dual(m, n) ? (at_bottom ? leg.bottoms : leg.tops) : leg.wraps;
}

/* The timer after a leg; what its outputs become. */
static void pass(const struct takt_machine *m, struct timer *t, unsigned n, struct leg leg)
{
    move(t, leg);
    if (takes_over(m, n, leg)) {
        t->ocr[0] = t->written[0];
        t->ocr[1] = t->written[1];
    }
    for (unsigned k = 0; k < 2; k++) {
        unsigned com = timer_com(m, n, k);
        bool matched = (leg.flags & TIFR_OCA << k) != 0;
        if (timer_is_pwm(m, n) && com >= 2)
            t->out[k] = timer_output(m, t, n, k);
        else if (matched && com != 0)
            t->out[k] = com == 1 ? !t->out[k] : com == 3;
    }
}

static uint64_t period(const struct takt_machine *m, const struct timer *t, unsigned n)
{
    uint64_t top = timer_top(m, t, n);
    return timer_is_dual(m, n) ? 2 * top + (top == 0) : top + 1;
}

static bool toggles(const struct takt_machine *m, unsigned n)
{
    return timer_com(m, n, 0) == 1 || timer_com(m, n, 1) == 1;
}

/* Whole periods nobody looked at change nothing once two of them have set all flags. */
static uint64_t shortened(const struct takt_machine *m, const struct timer *t, unsigned n,
                          uint64_t ticks)
{
    uint64_t whole = period(m, t, n);
    uint64_t enough = 2u * timer_max(n) + 3 * whole;
    if (ticks <= enough || (toggles(m, n) && (ticks - enough) / whole % 2 != 0))
        return ticks;
    return ticks - (ticks - enough) / whole * whole;
}

void timer_sync(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct timer *t = &m->mega->timer[n];
    when = when < m->mega->slept_since ? when : m->mega->slept_since; /* the clock stands still */
    uint64_t ticks = when > t->base ? ticks_until(m, n, when) : 0;
    uint64_t left = shortened(m, t, n, ticks);
    bool moved = false, before[2] = {t->out[0], t->out[1]};
    uint64_t at = when;
    while (left != 0) {
        struct leg leg = next_leg(m, t, n);
        if (leg.ticks > left) {
            t->count = (uint16_t)(t->down ? t->count - left : t->count + left);
            t->blocked = false;
            break;
        }
        left -= leg.ticks;
        pass(m, t, n, leg);
        if (leg.flags != 0)
            flag_raise(m, R_TIFR0 + n, leg.flags);
        moved = t->out[0] != before[0] || t->out[1] != before[1];
        at = timer_next_tick(m, n, ticks - left);
    }
    t->base = when > t->base ? when : t->base;
    if (moved)
        port_refresh(m, at);
}

/* Does anybody wait for what a leg brings? */
static bool wanted(const struct takt_machine *m, unsigned n, struct leg leg,
                   const struct timer *before, const struct timer *after)
{
    const uint8_t *d = m->mega->d;
    if ((leg.flags & d[R_TIMSK0 + n] & ~d[R_TIFR0 + n]) != 0)
        return true;
    if (before->ocr[0] != after->ocr[0] || before->ocr[1] != after->ocr[1])
        return true;
    for (unsigned k = 0; k < 2; k++) {
        if (before->out[k] != after->out[k] && timer_drives(m, n, k))
            return true;
    }
    return false;
}

/* A flag has been cleared: the next time counts again. */
void timer_rearm(struct takt_machine *m, uint32_t flags)
{
    if (flags - R_TIFR0 >= TIMERS)
        return;
    timer_sync(m, flags - R_TIFR0, m->now);
    timer_arm(m, flags - R_TIFR0);
}

/* The next thing that matters becomes an event. The timer is up to date. */
void timer_arm(struct takt_machine *m, unsigned n)
{
    struct timer t = m->mega->timer[n];
    uint64_t ticks = 0;
    for (unsigned legs = 0; t.div != 0 && legs < 9; legs++) {
        struct timer before = t;
        struct leg leg = next_leg(m, &t, n);
        pass(m, &t, n, leg);
        ticks += leg.ticks;
        if (wanted(m, n, leg, &before, &t)) {
            event_set(m, EV_TIMER + n, timer_next_tick(m, n, ticks));
            return;
        }
    }
    event_set(m, EV_TIMER + n, TAKT_NEVER);
}
