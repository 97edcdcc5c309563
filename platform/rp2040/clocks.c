/* Oscillators, PLLs, clock generators. Switching is instant; the crystal and the PLLs take their
 * time to become stable. */
#include <string.h>

#include "rp2040.h"

#define XOSC_HZ 12000000u
#define ROSC_HZ 6500000u
#define LOCK_US 20u /* our figure: the datasheet gives none */

enum { CLK_REF = 4, CLK_SYS = 5, CLK_PERI = 6, CLK_ADC = 8, CLK_COUNT = 10 };

static bool xosc_on(const struct takt_machine *m)
{
    const struct xosc *x = &m->soc->xosc;
    return (x->ctrl >> 12 & 0xfff) == 0xfab && m->now >= x->stable_at;
}

static uint32_t xosc_hz(const struct takt_machine *m)
{
    return xosc_on(m) ? XOSC_HZ : 0;
}

static bool pll_locked(const struct takt_machine *m, const struct pll *p)
{
    return (p->pwr & 0x21) == 0 && m->now >= p->lock_at;
}

static uint32_t pll_hz(const struct takt_machine *m, const struct pll *p)
{
    uint32_t div1 = p->prim >> 16 & 7, div2 = p->prim >> 12 & 7, ref = p->cs & 0x3f;
    if (!pll_locked(m, p) || (p->pwr & 8) != 0 || div1 == 0 || div2 == 0 || ref == 0)
        return 0;
    return (uint32_t)((uint64_t)xosc_hz(m) / ref * p->fbdiv / (div1 * div2));
}

static uint32_t source_hz(const struct takt_machine *m, char source)
{
    const struct rp2040 *s = m->soc;
    switch (source) {
    case 'p':
        return pll_hz(m, &s->pll[0]);
    case 'u':
        return pll_hz(m, &s->pll[1]);
    case 'r':
        return ROSC_HZ;
    case 'x':
        return xosc_hz(m);
    case 's':
        return s->clocks.sys_hz;
    }
    return 0;
}

static uint32_t divided(uint32_t hz, uint32_t div)
{
    uint32_t whole = div >> 8 != 0 ? div >> 8 : 0x10000;
    return (uint32_t)(((uint64_t)hz << 8) / ((uint64_t)whole << 8 | (div & 0xff)));
}

void clocks_update(struct takt_machine *m)
{
    static const char ref_aux[] = "u--", sys_aux[] = "purx--", peri_aux[] = "spurx--",
                      adc_aux[] = "uprx--";
    struct clocks *c = &m->soc->clocks;
    uint32_t ref = c->ctrl[CLK_REF], sys = c->ctrl[CLK_SYS], before = c->sys_hz;
    char ref_source = (ref & 3) == 0 ? 'r' : (ref & 3) == 2 ? 'x' : ref_aux[(ref >> 5 & 3) % 3];
    c->ref_hz = divided(source_hz(m, ref_source), c->div[CLK_REF]);
    c->sys_hz = (sys & 1) == 0
                    ? c->ref_hz
                    : divided(source_hz(m, sys_aux[(sys >> 5 & 7) % 6]), c->div[CLK_SYS]);
    if (c->sys_hz == 0) {
        machine_fail(m, TAKT_STOP_FAULT, "clk_sys has no running source at pc=0x%08x",
                     (unsigned)code_address(m, m->at));
        c->sys_hz = before != 0 ? before : ROSC_HZ;
    }
    uint32_t peri = c->ctrl[CLK_PERI], adc = c->ctrl[CLK_ADC];
    c->peri_hz = (peri >> 11 & 1) != 0 ? source_hz(m, peri_aux[(peri >> 5 & 7) % 7]) : 0;
    c->adc_hz = (adc >> 11 & 1) != 0
                    ? divided(source_hz(m, adc_aux[(adc >> 5 & 7) % 6]), c->div[CLK_ADC])
                    : 0;
    timer_clock_changed(m);
}

static void clocks_reset(struct takt_machine *m)
{
    struct clocks *c = &m->soc->clocks;
    memset(c, 0, sizeof *c);
    for (unsigned k = 0; k < CLK_COUNT; k++)
        c->div[k] = 0x100;
    for (unsigned k = 0; k < 2; k++)
        c->wake_en[k] = c->sleep_en[k] = k == 0 ? 0xffffffffu : 0x7fffu;
}

static uint32_t selected(const struct clocks *c, unsigned clock)
{
    return clock == CLK_REF   ? 1u << (c->ctrl[clock] & 3)
           : clock == CLK_SYS ? 1u << (c->ctrl[clock] & 1)
                              : 1;
}

static uint32_t clocks_read(struct takt_machine *m, uint32_t offset)
{
    const struct clocks *c = &m->soc->clocks;
    unsigned clock = offset / 12, part = offset % 12;
    if (clock < CLK_COUNT)
        return part == 0 ? c->ctrl[clock] : part == 4 ? c->div[clock] : selected(c, clock);
    if (offset == 0x78)
        return c->resus;
    if (offset >= 0xa0 && offset <= 0xac)
        return offset < 0xa8 ? c->wake_en[(offset - 0xa0) / 4] : c->sleep_en[(offset - 0xa8) / 4];
    if (offset == 0x7c || (offset >= 0xb8 && offset <= 0xc4))
        return 0; /* no resuscitation has happened, no interrupt */
    report_access(m, "CLOCKS", 0x40008000u + offset, offset, false, 0);
    return 0;
}

static void clocks_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct clocks *c = &m->soc->clocks;
    unsigned clock = offset / 12, part = offset % 12;
    if (clock < CLK_COUNT) {
        if (part == 0)
            c->ctrl[clock] = value;
        else if (part == 4)
            c->div[clock] = value;
        clocks_update(m);
    } else if (offset == 0x78) {
        c->resus = value;
        if ((value & 0x1100) != 0)
            report_access(m, "CLOCKS", 0x40008078u, offset, true, value);
    } else if (offset >= 0xa0 && offset <= 0xac) {
        uint32_t *en = offset < 0xa8 ? c->wake_en : c->sleep_en;
        en[offset / 4 & 1] = value;
    } else {
        report_access(m, "CLOCKS", 0x40008000u + offset, offset, true, value);
    }
}

static void xosc_reset(struct takt_machine *m)
{
    m->soc->xosc = (struct xosc){.ctrl = 0xd1eaa0, .startup = 0xc4};
}

static uint32_t xosc_read(struct takt_machine *m, uint32_t offset)
{
    const struct xosc *x = &m->soc->xosc;
    bool enabled = (x->ctrl >> 12 & 0xfff) == 0xfab;
    switch (offset) {
    case 0x00:
        return x->ctrl;
    case 0x04:
        return (uint32_t)xosc_on(m) << 31 | (uint32_t)enabled << 12 | (x->ctrl & 3);
    case 0x0c:
        return x->startup;
    case 0x1c:
        return x->count_end > m->now ? 1 : 0;
    }
    report_access(m, "XOSC", 0x40024000u + offset, offset, false, 0);
    return 0;
}

/* STARTUP counts in units of 256 periods of the crystal. */
static void xosc_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct xosc *x = &m->soc->xosc;
    bool was = (x->ctrl >> 12 & 0xfff) == 0xfab;
    if (offset == 0x00) {
        x->ctrl = value & 0xffffff;
        if (!was && (value >> 12 & 0xfff) == 0xfab)
            x->stable_at = m->now + (uint64_t)(x->startup & 0x3fff) * 256 * chip_hz(m) / XOSC_HZ;
        clocks_update(m);
    } else if (offset == 0x0c) {
        x->startup = value;
    } else if (offset == 0x1c) {
        x->count_end = m->now + (uint64_t)(value & 0xff) * chip_hz(m) / XOSC_HZ;
    } else {
        report_access(m, "XOSC", 0x40024000u + offset, offset, true, value);
    }
}

static void rosc_reset(struct takt_machine *m)
{
    uint32_t *r = m->soc->rosc;
    memset(r, 0, sizeof m->soc->rosc);
    r[0] = 0xaa0;
    r[4] = 0xaa0 | 16;
}

static uint32_t rosc_read(struct takt_machine *m, uint32_t offset)
{
    if (offset == 0x18)
        return 1u << 31 | 1u << 12; /* stable, enabled */
    if (offset <= 0x14)
        return m->soc->rosc[offset / 4];
    report_access(m, "ROSC", 0x40060000u + offset, offset, false, 0);
    return 0;
}

/* The frequency is fixed: other settings are reported. */
static void rosc_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    if (offset <= 0x14)
        m->soc->rosc[offset / 4] = value;
    report_access(m, "ROSC", 0x40060000u + offset, offset, true, value);
}

static void pll_reset(struct takt_machine *m, unsigned n)
{
    m->soc->pll[n] = (struct pll){.cs = 1, .pwr = 0x2d, .prim = 0x77000};
}

static uint32_t pll_read(struct takt_machine *m, unsigned n, uint32_t offset)
{
    const struct pll *p = &m->soc->pll[n];
    switch (offset) {
    case 0x0:
        return p->cs | (uint32_t)pll_locked(m, p) << 31;
    case 0x4:
        return p->pwr;
    case 0x8:
        return p->fbdiv;
    case 0xc:
        return p->prim;
    }
    report_access(m, "PLL", 0x40028000u + n * 0x4000 + offset, offset, false, 0);
    return 0;
}

static void pll_write(struct takt_machine *m, unsigned n, uint32_t offset, uint32_t value)
{
    struct pll *p = &m->soc->pll[n];
    uint64_t lock_at = m->now + (uint64_t)chip_hz(m) * LOCK_US / 1000000;
    if (offset == 0x0) {
        p->cs = value & 0x13f;
        p->lock_at = lock_at;
    } else if (offset == 0x4) {
        p->lock_at = (p->pwr & 0x21) != 0 && (value & 0x21) == 0 ? lock_at : p->lock_at;
        p->pwr = value & 0x2d;
    } else if (offset == 0x8) {
        p->fbdiv = value & 0xfff;
        p->lock_at = lock_at;
    } else if (offset == 0xc) {
        p->prim = value & 0x77000;
    } else {
        report_access(m, "PLL", 0x40028000u + n * 0x4000 + offset, offset, true, value);
    }
    clocks_update(m);
}

#define PLL(name, n)                                                                               \
    static void name##_reset(struct takt_machine *m)                                               \
    {                                                                                              \
        pll_reset(m, n);                                                                           \
    }                                                                                              \
    static uint32_t name##_read(struct takt_machine *m, uint32_t offset)                           \
    {                                                                                              \
        return pll_read(m, n, offset);                                                             \
    }                                                                                              \
    static void name##_write(struct takt_machine *m, uint32_t offset, uint32_t value)              \
    {                                                                                              \
        pll_write(m, n, offset, value);                                                            \
    }

PLL(pll_sys, 0)
PLL(pll_usb, 1)

const struct device clocks_device = {"CLOCKS",    0x40008000,   -1,
                                     clocks_read, clocks_write, clocks_reset};
const struct device xosc_device = {"XOSC", 0x40024000, -1, xosc_read, xosc_write, xosc_reset};
const struct device rosc_device = {"ROSC", 0x40060000, -1, rosc_read, rosc_write, rosc_reset};
const struct device pll_sys_device = {"PLL_SYS",    0x40028000,    12,
                                      pll_sys_read, pll_sys_write, pll_sys_reset};
const struct device pll_usb_device = {"PLL_USB",    0x4002c000,    13,
                                      pll_usb_read, pll_usb_write, pll_usb_reset};
