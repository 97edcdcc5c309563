/*
 * Timers that count up: TIM1, 2, 3, 6, 14-17. Counting, compare, preloaded registers, interrupts;
 * the outputs are in tim_output.c. Nothing runs between the edges somebody waits for: a counter is
 * `count` at cycle `epoch` and moves every tick,
 *
 *   tick = (PSC + 1) timer clocks; a timer clock is 1 HCLK cycle, or half a PCLK if that is divided
 *
 * A match is when the counter becomes CCR; one set to the present or past comes a turn later.
 */
#include "stm32f0.h"

enum { CR1_CEN = 1, CR1_UDIS = 2, CR1_URS = 4, CR1_OPM = 8, CR1_ODD = 0x70, CR1_ARPE = 0x80 };
enum { OC_PRELOAD = 8 };

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

static uint32_t top(unsigned n)
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

static bool running(const struct tim *t)
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

static bool preloads(const struct tim *t, unsigned channel)
{
    return (t->ccmr[channel / 2] >> 8 * (channel & 1) & OC_PRELOAD) != 0;
}

static void take_over(struct tim *t)
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
    uint32_t last = t->count <= t->arr_used ? t->arr_used : top(n);
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
    take_over(t);
    if ((t->cr1 & CR1_OPM) != 0)
        t->cr1 &= ~(uint32_t)CR1_CEN;
}

/* Brings the counter and its flags up to `when`. */
void tim_advance(struct takt_machine *m, unsigned n, uint64_t when)
{
    struct tim *t = &m->f0->tim[n];
    if (!running(t) || when <= t->epoch)
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
        if (!running(t))
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
    bool seen = tim_observed(m, n), counts = running(t) && t->arr_used != 0;
    uint32_t wanted = t->dier & ~t->sr,
             last = to_overflow(t, n) + t->count - 1 > t->arr_used ? top(n) : t->arr_used;
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

static void settle(struct takt_machine *m, unsigned n)
{
    schedule(m, n);
    update_irq(m, n);
}

void tim_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    unsigned n = id - EV_TIM;
    tim_advance(m, n, when);
    settle(m, n);
    port_outputs(m, when);
}

/* Somebody has begun or ceased to look at outputs. */
void tim_refresh(struct takt_machine *m)
{
    for (unsigned n = 0; n < TIMS; n++) {
        if (!running(&m->f0->tim[n]))
            continue;
        tim_advance(m, n, m->now);
        settle(m, n);
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

static void tim_reset(struct takt_machine *m, unsigned n)
{
    m->f0->tim[n] = (struct tim){.arr = top(n), .arr_used = top(n)};
    settle(m, n);
    port_outputs(m, m->now);
}

static const char *name(unsigned n)
{
    return tim_devices[n].name;
}

static uint32_t tim_read(struct takt_machine *m, unsigned n, uint32_t offset)
{
    struct tim *t = &m->f0->tim[n];
    tim_advance(m, n, m->now);
    const uint32_t value[20] = {t->cr1,    t->cr2,     t->smcr,    t->dier,   t->sr,
                                0,         t->ccmr[0], t->ccmr[1], t->ccer,   t->count,
                                t->psc,    t->arr,     t->rcr,     t->ccr[0], t->ccr[1],
                                t->ccr[2], t->ccr[3],  t->bdtr,    t->dcr,    t->dmar};
    if (offset < sizeof value)
        return value[offset / 4];
    report_device(m, name(n), tim_devices[n].base, offset, false, 0);
    return 0;
}

/* UG: the counter, and its prescaler, begin anew. */
static void generate(struct takt_machine *m, unsigned n, uint32_t value)
{
    struct tim *t = &m->f0->tim[n];
    t->sr |= value & 0x1e & ((2u << kind[n].channels) - 2);
    if ((value & 1) == 0)
        return;
    t->count = 0;
    t->epoch = m->now;
    if ((t->cr1 & CR1_UDIS) != 0)
        return;
    take_over(t);
    if ((t->cr1 & CR1_URS) == 0)
        t->sr |= 1;
}

static void write_compare(struct tim *t, unsigned n, unsigned channel, uint32_t value)
{
    t->ccr[channel] = value & top(n);
    if (!preloads(t, channel))
        t->ccr_used[channel] = t->ccr[channel];
}

static void write_control(struct takt_machine *m, unsigned n, uint32_t value)
{
    struct tim *t = &m->f0->tim[n];
    if ((value & ~t->cr1 & CR1_CEN) != 0)
        t->epoch = m->now;
    t->cr1 = value & 0x39f;
    if ((value & CR1_ARPE) == 0)
        t->arr_used = t->arr;
    t->cr1 |= value & CR1_ARPE;
    if ((value & CR1_ODD) != 0)
        report_device(m, "TIM (counting down, centre-aligned)", tim_devices[n].base, 0, true,
                      value);
}

/* Registers of which something is not modelled; the value is kept. */
static uint32_t *partly(struct tim *t, uint32_t offset, uint32_t *modelled)
{
    switch (offset) {
    case 0x04:
        *modelled = 0;
        return &t->cr2;
    case 0x08:
        *modelled = 0;
        return &t->smcr;
    case 0x0c:
        *modelled = 0x1f;
        return &t->dier;
    case 0x18:
    case 0x1c: /* outputs only; no clearing by ETR, no fast enable */
        *modelled = 0x7878;
        return &t->ccmr[(offset - 0x18) / 4];
    case 0x30:
        *modelled = 0;
        return &t->rcr;
    case 0x44:
        *modelled = 0xcf00;
        return &t->bdtr;
    case 0x48:
        *modelled = 0;
        return &t->dcr;
    }
    return NULL;
}

static void tim_write(struct takt_machine *m, unsigned n, uint32_t offset, uint32_t value)
{
    struct tim *t = &m->f0->tim[n];
    uint32_t modelled, *reg = partly(t, offset, &modelled);
    tim_advance(m, n, m->now);
    if (reg != NULL) {
        *reg = value & 0xffff;
        if ((value & ~modelled) != 0)
            report_device(m, name(n), tim_devices[n].base, offset, true, value);
    } else if (offset == 0x00) {
        write_control(m, n, value);
    } else if (offset == 0x10) {
        t->sr &= value;
    } else if (offset == 0x14) {
        generate(m, n, value);
    } else if (offset == 0x20) {
        t->ccer = value & 0xffff;
    } else if (offset == 0x24) {
        t->count = value & top(n);
    } else if (offset == 0x28) {
        t->psc = value & 0xffff;
    } else if (offset == 0x2c) {
        t->arr = value & top(n);
        t->arr_used = (t->cr1 & CR1_ARPE) != 0 ? t->arr_used : t->arr;
    } else if (offset >= 0x34 && offset <= 0x40) {
        write_compare(t, n, (offset - 0x34) / 4, value);
    } else {
        report_device(m, name(n), tim_devices[n].base, offset, true, value);
    }
    settle(m, n);
    if (offset != 0x0c && offset != 0x10 && tim_drives(m))
        port_outputs(m, m->now);
}

/* TIM2 as the kernel's clock: turns and all. */
double tim_us(const struct takt_machine *m)
{
    const struct tim *t = &m->f0->tim[1];
    double at = (double)t->turns * (t->arr_used + 1.0) + t->count;
    if (!running(t) || m->now < t->epoch)
        return at;
    return at + (double)(m->now - t->epoch) / (double)tim_tick(m, t);
}

#define TIM(lower, n)                                                                              \
    static uint32_t lower##_read(struct takt_machine *m, uint32_t offset)                          \
    {                                                                                              \
        return tim_read(m, n, offset);                                                             \
    }                                                                                              \
    static void lower##_write(struct takt_machine *m, uint32_t offset, uint32_t value)             \
    {                                                                                              \
        tim_write(m, n, offset, value);                                                            \
    }                                                                                              \
    static void lower##_reset(struct takt_machine *m)                                              \
    {                                                                                              \
        tim_reset(m, n);                                                                           \
    }

TIM(tim1, 0)
TIM(tim2, 1)
TIM(tim3, 2)
TIM(tim6, 3)
TIM(tim14, 4)
TIM(tim15, 5)
TIM(tim16, 6)
TIM(tim17, 7)

const struct device tim_devices[TIMS] = {
    {"TIM1", 0x40012c00, ON_APB2, 11, tim1_read, tim1_write, tim1_reset},
    {"TIM2", 0x40000000, ON_APB1, 0, tim2_read, tim2_write, tim2_reset},
    {"TIM3", 0x40000400, ON_APB1, 1, tim3_read, tim3_write, tim3_reset},
    {"TIM6", 0x40001000, ON_APB1, 4, tim6_read, tim6_write, tim6_reset},
    {"TIM14", 0x40002000, ON_APB1, 8, tim14_read, tim14_write, tim14_reset},
    {"TIM15", 0x40014000, ON_APB2, 16, tim15_read, tim15_write, tim15_reset},
    {"TIM16", 0x40014400, ON_APB2, 17, tim16_read, tim16_write, tim16_reset},
    {"TIM17", 0x40014800, ON_APB2, 18, tim17_read, tim17_write, tim17_reset},
};
