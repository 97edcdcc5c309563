/* Timers: registers of TIM1, 2, 3, 6, 14-17. Counting: tim_count.c; outputs: tim_output.c. */
#include "tim.h"

enum { CR1_ODD = 0x70, CR1_ARPE = 0x80, OC_PRELOAD = 8 };

static bool preloads(const struct tim *t, unsigned channel)
{
    return (t->ccmr[channel / 2] >> 8 * (channel & 1) & OC_PRELOAD) != 0;
}

static void tim_reset(struct takt_machine *m, unsigned n)
{
    m->f0->tim[n] = (struct tim){.arr = tim_top(n), .arr_used = tim_top(n)};
    tim_settle(m, n);
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
    if (offset == 0x24)
        return t->count;
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
    t->sr |= value & 0x1e & ((2u << tim_channels(n)) - 2);
    if ((value & 1) == 0)
        return;
    t->count = 0;
    t->epoch = m->now;
    if ((t->cr1 & CR1_UDIS) != 0)
        return;
    tim_take_over(t);
    if ((t->cr1 & CR1_URS) == 0)
        t->sr |= 1;
}

static void write_compare(struct tim *t, unsigned n, unsigned channel, uint32_t value)
{
    t->ccr[channel] = value & tim_top(n);
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
        t->count = value & tim_top(n);
    } else if (offset == 0x28) {
        t->psc = value & 0xffff;
    } else if (offset == 0x2c) {
        t->arr = value & tim_top(n);
        t->arr_used = (t->cr1 & CR1_ARPE) != 0 ? t->arr_used : t->arr;
    } else if (offset >= 0x34 && offset <= 0x40) {
        write_compare(t, n, (offset - 0x34) / 4, value);
    } else {
        report_device(m, name(n), tim_devices[n].base, offset, true, value);
    }
    tim_settle(m, n);
    if (offset != 0x0c && offset != 0x10 && tim_drives(m))
        port_outputs(m, m->now);
}

/* TIM2 as the kernel's clock: turns and all. */
double tim_us(const struct takt_machine *m)
{
    const struct tim *t = &m->f0->tim[1];
    double at = (double)t->turns * (t->arr_used + 1.0) + t->count;
    if (!tim_running(t) || m->now < t->epoch)
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
