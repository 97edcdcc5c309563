/*
 * Timers that count up. Nothing runs between the edges somebody waits for: a counter is `count` at
 * cycle `epoch` and moves every tick,
 *
 *   tick = (PSC + 1) timer clocks; a timer clock is 1 HCLK cycle, or half a PCLK if that is divided
 *
 * A match is when the counter becomes CCR; one set to the present or past comes a turn later.
 */
#include "tim.h"

/* By index: 1, 2, 3, 6, 14, 15, 16, 17. */
static const struct {
    uint8_t channels, irq;
    bool wide, advanced; /* 32 bits; MOE, RCR */
} kind[TIMS] = {
    {4, IRQ_TIM1_UP, false, true}, {4, IRQ_TIM2, true, false},   {4, IRQ_TIM3, false, false},
    {0, IRQ_TIM6, false, false},   {1, IRQ_TIM14, false, false}, {2, IRQ_TIM15, false, true},
    {1, IRQ_TIM16, false, true},   {1, IRQ_TIM17, false, true},
};

uint32_t tim_channels(unsigned n)
{
    return kind[n].channels;
}

bool tim_advanced(unsigned n)
{
    return kind[n].advanced;
}

uint32_t tim_top(unsigned n)
{
    return kind[n].wide ? UINT32_MAX : 0xffff;
}

uint32_t tim_clock_div(const struct takt_machine *m)
{
    uint32_t div = m->f0->rcc.pclk_div;
    return div <= 1 ? 1 : div / 2;
}

uint64_t tim_tick(const struct takt_machine *m, const struct tim *t)
{
    return (uint64_t)tim_clock_div(m) * (t->psc_used + 1ull);
}

bool tim_running(const struct tim *t)
{
    return (t->cr1 & CR1_CEN) != 0;
}

static uint64_t divided(uint64_t cycles, uint64_t by)
{
    return cycles <= UINT32_MAX ? (uint32_t)cycles / (uint32_t)by : cycles / by;
}

static void update_irq(struct takt_machine *m, unsigned n)
{
    const struct tim *t = &m->f0->tim[n];
    uint32_t active = t->sr & t->dier;
    if (n == 0) {
        irq_line(m, IRQ_TIM1_UP, (active & 0xe1) != 0);
        irq_line(m, IRQ_TIM1_CC, (active & 0x1e) != 0);
    } else {
        irq_line(m, kind[n].irq, (active & 0x7f) != 0);
    }
}

void tim_take_over(struct tim *t)
{
    t->psc_used = t->psc;
    t->arr_used = t->arr;
    for (unsigned channel = 0; channel < 4; channel++)
        t->ccr_used[channel] = t->ccr[channel];
}

/* Flags of the channels whose value lies in (from, to], or that match at an overflow. */
static uint32_t matches(const struct tim *t, unsigned n, uint64_t from, uint64_t to)
{
    uint32_t flags = 0;
    for (unsigned channel = 0; channel < kind[n].channels; channel++) {
        uint32_t at = t->ccr_used[channel];
        if (at > from && at <= to)
            flags |= 2u << channel;
    }
    return flags;
}

static uint32_t overflow_matches(const struct tim *t, unsigned n)
{
    uint32_t flags = 0;
    for (unsigned channel = 0; channel < kind[n].channels; channel++) {
        if (t->ccr_used[channel] == 0 || t->ccr_used[channel] > t->arr_used)
            flags |= 2u << channel;
    }
    return flags;
}

/* Ticks until the counter is 0 again. Beyond ARR it runs to its end. */
static uint64_t to_overflow(const struct tim *t, unsigned n)
{
    uint32_t last = t->count <= t->arr_used ? t->arr_used : tim_top(n);
    return (uint64_t)last - t->count + 1;
}

/* The counter goes from ARR to 0 at `epoch`. */
static void overflow(struct tim *t, unsigned n)
{
    bool update = t->count <= t->arr_used && (t->cr1 & CR1_UDIS) == 0;
    t->sr |= matches(t, n, t->count, t->arr_used) | overflow_matches(t, n);
    t->count = 0;
    t->turns++;
    if (!update)
        return;
    t->sr |= 1;
    tim_take_over(t);
    if ((t->cr1 & CR1_OPM) != 0)
        t->cr1 &= ~(uint32_t)CR1_CEN;
}

/* Brings the counter and its flags up to `when`. */
void tim_advance(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct tim *t = &m->f0->tim[n];
    if (!tim_running(t) || when <= t->epoch)
        return;
    if (t->arr_used == 0) { /* blocked */
        t->epoch = when;
        return;
    }
    for (;;) {
        uint64_t tick = tim_tick(m, t), ticks = divided(when - t->epoch, tick);
        uint64_t left = to_overflow(t, n);
        if (ticks < left) {
            t->sr |= matches(t, n, t->count, t->count + ticks);
            t->count += (uint32_t)ticks;
            t->epoch += ticks * tick;
            return;
        }
        t->epoch += left * tick;
        overflow(t, n);
        if (!tim_running(t))
            return;
        uint64_t length = t->arr_used + 1ull, whole = (when - t->epoch) / tim_tick(m, t) / length;
        if (whole > 0) {
            t->sr |= matches(t, n, 0, t->arr_used) | overflow_matches(t, n) | 1;
            t->turns += (uint32_t)whole;
            t->epoch += whole * length * tim_tick(m, t);
        }
    }
}

/* The next tick at which a flag is set that interrupts, or an output changes. */
static void schedule(struct takt_machine *m, unsigned n)
{
    const struct tim *t = &m->f0->tim[n];
    bool seen = tim_observed(m, n), counts = tim_running(t) && t->arr_used != 0;
    uint32_t wanted = t->dier & ~t->sr,
             last = to_overflow(t, n) + t->count - 1 > t->arr_used ? tim_top(n) : t->arr_used;
    uint64_t best = TAKT_NEVER;
    if (!counts || (!seen && (wanted & 0x1f) == 0)) {
        event_set(m, EV_TIM + n, TAKT_NEVER);
        return;
    }
    if (seen || (wanted & 1) != 0 || (t->cr1 & CR1_OPM) != 0)
        best = to_overflow(t, n);
    for (unsigned channel = 0; channel < kind[n].channels; channel++) {
        if (!seen && (wanted >> (channel + 1) & 1) == 0)
            continue;
        uint32_t at = t->ccr_used[channel];
        uint64_t ticks = at > t->count && at <= last ? (uint64_t)at - t->count : to_overflow(t, n);
        best = ticks < best ? ticks : best;
    }
    event_set(m, EV_TIM + n, t->epoch + best * tim_tick(m, t));
}

void tim_settle(struct takt_machine *m, unsigned n)
{
    schedule(m, n);
    update_irq(m, n);
}

void tim_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    unsigned n = id - EV_TIM;
    tim_advance(m, n, when);
    tim_settle(m, n);
    port_outputs(m, when);
}

/* Somebody has begun or ceased to look at outputs. */
void tim_refresh(struct takt_machine *m)
{
    for (unsigned n = 0; n < TIMS; n++) {
        if (!tim_running(&m->f0->tim[n]))
            continue;
        tim_advance(m, n, m->now);
        tim_settle(m, n);
    }
}

/* HCLK cycles per timer clock have changed: the position within the tick is lost. */
void tim_clock_changed(struct takt_machine *m, uint32_t before)
{
    for (unsigned n = 0; n < TIMS && tim_clock_div(m) != before; n++) {
        m->f0->tim[n].epoch = m->now;
        schedule(m, n);
    }
}
