/*
 * RCC: HSI and PLL (no crystals on the board), the switch of SYSCLK, prescalers, clock enables
 * and resets. A switch to a clock that is not ready yet happens when it is.
 */
#include "stm32f0.h"

#define HSI_HZ   8000000u
#define HSI14_HZ 14000000u
#define LOCK_US  200u /* datasheet: at most */
#define LSI_US   85u

enum { CR_HSION = 1, CR_HSIRDY = 2, CR_HSEON = 1 << 16, CR_PLLON = 1 << 24, CR_PLLRDY = 1 << 25 };
enum { SW_HSI, SW_HSE, SW_PLL };
enum { CFGR_USED = 0x077f47f3 };
#define CSR_IWDG  (1u << 29) /* what has reset the chip */
#define CSR_POWER (1u << 27)
#define CSR_PIN   (1u << 26)
#define CSR_FLAGS 0xfe000000u

static bool pll_ready(const struct takt_machine *m)
{
    const struct rcc *r = &m->f0->rcc;
    return (r->cr & CR_PLLON) != 0 && (r->cfgr >> 16 & 1) == 0 && m->now >= r->pll_at;
}

/* The PLL's input is HSI / 2; from HSE (absent) it never locks. */
static uint32_t pll_hz(const struct takt_machine *m)
{
    uint32_t factor = (m->f0->rcc.cfgr >> 18 & 15) + 2;
    return HSI_HZ / 2 * (factor > 16 ? 16 : factor);
}

uint32_t rcc_hsi14(const struct takt_machine *m)
{
    return (m->f0->rcc.cr2 & 1) != 0 ? HSI14_HZ : 0;
}

bool rcc_lsi(const struct takt_machine *m)
{
    return (m->f0->rcc.csr & 1) != 0 && m->now >= m->f0->rcc.lsi_at;
}

void rcc_lsi_start(struct takt_machine *m)
{
    struct rcc *r = &m->f0->rcc;
    if ((r->csr & 1) == 0)
        r->lsi_at = m->now + (uint64_t)LSI_US * r->hclk_hz / 1000000;
    r->csr |= 1;
}

static uint32_t ahb_divider(uint32_t cfgr)
{
    static const uint16_t by[8] = {2, 4, 8, 16, 64, 128, 256, 512};
    return (cfgr & 0x80) != 0 ? by[cfgr >> 4 & 7] : 1;
}

static uint32_t apb_divider(uint32_t cfgr)
{
    return (cfgr & 0x400) != 0 ? 2u << (cfgr >> 8 & 3) : 1;
}

static void update(struct takt_machine *m)
{
    struct rcc *r = &m->f0->rcc;
    uint32_t wanted = r->cfgr & 3, before = tim_clock_div(m);
    if (wanted == SW_HSI || (wanted == SW_PLL && pll_ready(m)))
        r->used = wanted;
    r->sysclk_hz = r->used == SW_PLL ? pll_hz(m) : HSI_HZ;
    r->hclk_hz = r->sysclk_hz / ahb_divider(r->cfgr);
    r->pclk_div = apb_divider(r->cfgr);
    r->pclk_hz = r->hclk_hz / r->pclk_div;
    tim_clock_changed(m, before);
    flash_check(m);
    devices_gate(m);
}

bool rcc_clocked(const struct takt_machine *m, const struct device *d)
{
    return d->bus == ON_ALWAYS || (m->f0->rcc.enable[d->bus] >> d->bit & 1) != 0;
}

bool rcc_held(const struct takt_machine *m, const struct device *d)
{
    return d->bus != ON_ALWAYS && (m->f0->rcc.reset[d->bus] >> d->bit & 1) != 0;
}

void rcc_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    (void)id, (void)when;
    update(m);
}

static void rcc_reset(struct takt_machine *m)
{
    uint32_t before = m->f0->rcc.csr & CSR_FLAGS;
    m->f0->rcc = (struct rcc){.cr = 0x83, .cr2 = 0x80, .enable[ON_AHB] = 0x14, .pclk_div = 1};
    m->f0->rcc.csr = m->by_watchdog ? before | CSR_IWDG | CSR_PIN : CSR_POWER | CSR_PIN;
    update(m);
}

static uint32_t control(const struct takt_machine *m)
{
    return m->f0->rcc.cr | (pll_ready(m) ? (uint32_t)CR_PLLRDY : 0);
}

static uint32_t rcc_read(struct takt_machine *m, uint32_t offset)
{
    struct rcc *r = &m->f0->rcc;
    const uint32_t value[14] = {
        control(m),
        (r->cfgr & ~12u) | r->used << 2,
        r->cir,
        r->reset[ON_APB2],
        r->reset[ON_APB1],
        r->enable[ON_AHB],
        r->enable[ON_APB2],
        r->enable[ON_APB1],
        r->bdcr,
        r->csr | (rcc_lsi(m) ? 2u : 0),
        r->reset[ON_AHB],
        r->cfgr2,
        r->cfgr3,
        r->cr2 | (rcc_hsi14(m) != 0 ? 2u : 0),
    };
    if (offset < sizeof value)
        return value[offset / 4];
    report_device(m, "RCC", rcc_device.base, offset, false, 0);
    return 0;
}

static void write_control(struct takt_machine *m, uint32_t value)
{
    struct rcc *r = &m->f0->rcc;
    if ((value & CR_HSEON) != 0)
        report_note(m, "HSE is turned on, but the board has no crystal: it never gets ready");
    if ((value & (1u << 18 | 1u << 19)) != 0)
        report_device(m, "RCC (HSE bypass, clock security)", rcc_device.base, 0, true, value);
    if ((value & ~r->cr & CR_PLLON) != 0) {
        r->pll_at = m->now + (uint64_t)LOCK_US * r->hclk_hz / 1000000;
        event_set(m, EV_RCC, r->pll_at);
    }
    if (r->used == SW_PLL) /* what is in use cannot be turned off */
        value |= CR_PLLON;
    r->cr = (value & (0xf8u | CR_HSEON | CR_PLLON)) | CR_HSION | CR_HSIRDY;
    if ((value & CR_HSION) == 0)
        report_note(m, "HSI is turned off: taken as left on");
}

static void write_configuration(struct takt_machine *m, uint32_t value)
{
    struct rcc *r = &m->f0->rcc;
    if ((value & 3) == SW_HSE || (value & 3) == 3)
        report_note(m, "SYSCLK is to come from a clock that is not there: it stays");
    if (((value ^ r->cfgr) & 0x3f0000) != 0 && (r->cr & CR_PLLON) != 0)
        report_note(m, "the PLL is changed while on: without effect");
    if ((r->cr & CR_PLLON) != 0)
        value = (value & ~0x3f0000u) | (r->cfgr & 0x3f0000);
    if ((value & 0x07000000) != 0)
        report_device(m, "RCC (clock output MCO)", rcc_device.base, 4, true, value);
    r->cfgr = value & CFGR_USED;
}

/* In reset while the bit is set. */
static void write_reset(struct takt_machine *m, uint32_t bus, uint32_t value)
{
    m->f0->rcc.reset[bus] = value;
    devices_reset(m, bus, value);
}

static void write_status(struct takt_machine *m, uint32_t value)
{
    struct rcc *r = &m->f0->rcc;
    if ((value & 1u << 24) != 0)
        r->csr &= ~CSR_FLAGS;
    if ((value & 1) != 0)
        rcc_lsi_start(m);
    else if (!m->f0->iwdg.on)
        r->csr &= ~1u;
}

static void write_other(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct rcc *r = &m->f0->rcc;
    if (offset == 0x24)
        write_status(m, value);
    else if (offset == 0x2c)
        r->cfgr2 = value & 15;
    else if (offset == 0x30)
        r->cfgr3 = value & 0x153;
    else if (offset == 0x34)
        r->cr2 = (value & 0xfd) | (r->cr2 & ~0xfdu);
    else /* CIR, BDCR: interrupts of clocks, RTC and LSE */
        report_device(m, "RCC", rcc_device.base, offset, true, value);
}

static void rcc_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct rcc *r = &m->f0->rcc;
    switch (offset) {
    case 0x00:
        write_control(m, value);
        break;
    case 0x04:
        write_configuration(m, value);
        break;
    case 0x0c:
        write_reset(m, ON_APB2, value);
        break;
    case 0x10:
        write_reset(m, ON_APB1, value);
        break;
    case 0x14:
        r->enable[ON_AHB] = value & 0x017e0055;
        break;
    case 0x18:
        r->enable[ON_APB2] = value & 0x00475a01;
        break;
    case 0x1c:
        r->enable[ON_APB1] = value & 0x70624913;
        break;
    case 0x28:
        write_reset(m, ON_AHB, value);
        break;
    default:
        write_other(m, offset, value);
        break;
    }
    update(m);
}

const struct device rcc_device = {"RCC", 0x40021000, ON_ALWAYS, 0, rcc_read, rcc_write, rcc_reset};
