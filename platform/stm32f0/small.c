/* Blocks with few registers: IWDG, WWDG, PWR, DBGMCU. */
#include "stm32f0.h"

#define LSI_HZ 40000u

enum { KEY_FEED = 0xaaaa, KEY_OPEN = 0x5555, KEY_START = 0xcccc };
enum { PVU = 1, RVU = 2 };  /* SR */
enum { SETTLE_CYCLES = 5 }; /* of LSI, until PR and RLR are those that were written */

static uint64_t lsi_cycles(const struct takt_machine *m, uint64_t count)
{
    return count * chip_hz(m) / LSI_HZ;
}

/* While LSI does not run nothing that is written takes effect. */
static bool settled(const struct takt_machine *m)
{
    uint64_t written = m->f0->iwdg.written, runs = m->f0->rcc.lsi_at;
    uint64_t from = written > runs ? written : runs;
    return written == 0 || (rcc_lsi(m) && m->now >= from + lsi_cycles(m, SETTLE_CYCLES));
}

/* IWDG: counts LSI / (4 << PR) down from RLR; its end is the end of the run. What is written to PR
 * is in force from the next time on that it is fed. */
static void feed(struct takt_machine *m)
{
    struct watchdog *w = &m->f0->iwdg;
    if (settled(m)) {
        w->prescaler = w->next_prescaler;
        w->reload = w->next_reload;
    }
    uint64_t count = (uint64_t)(w->reload + 1) * (4u << (w->prescaler > 6 ? 6 : w->prescaler));
    m->fed = w->on ? m->now : TAKT_NEVER;
    event_set(m, EV_IWDG, w->on ? m->now + lsi_cycles(m, count) : TAKT_NEVER);
}

void iwdg_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    (void)id, (void)when;
    machine_watchdog(m);
}

/* A reset by RCC does not reach it; only power-on does. */
static void iwdg_reset(struct takt_machine *m)
{
    m->f0->iwdg = (struct watchdog){.reload = 0xfff, .next_reload = 0xfff, .window = 0xfff};
}

static uint32_t iwdg_read(struct takt_machine *m, uint32_t offset)
{
    const struct watchdog *w = &m->f0->iwdg;
    uint32_t updating = settled(m) ? 0 : PVU | RVU;
    const uint32_t value[5] = {0, w->next_prescaler, w->next_reload, updating, w->window};
    if (offset < sizeof value)
        return value[offset / 4];
    report_device(m, "IWDG", iwdg_device.base, offset, false, 0);
    return 0;
}

static void iwdg_key(struct takt_machine *m, uint32_t key)
{
    struct watchdog *w = &m->f0->iwdg;
    w->key = key;
    w->on = w->on || key == KEY_START;
    if (w->on)
        rcc_lsi_start(m); /* it runs with it */
    if (key == KEY_FEED || key == KEY_START)
        feed(m);
}

static void iwdg_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct watchdog *w = &m->f0->iwdg;
    bool open = w->key == KEY_OPEN;
    if (open && (offset == 0x04 || offset == 0x08))
        w->written = m->now;
    if (offset == 0x00)
        iwdg_key(m, value & 0xffff);
    else if (offset == 0x04 && open)
        w->next_prescaler = value & 7;
    else if (offset == 0x08 && open)
        w->next_reload = value & 0xfff;
    else
        report_device(m, open ? "IWDG" : "IWDG while locked", iwdg_device.base, offset, true,
                      value);
}

static uint32_t wwdg_read(struct takt_machine *m, uint32_t offset)
{
    report_device(m, "WWDG", wwdg_device.base, offset, false, 0);
    return offset == 0 ? 0x7f : 0;
}

static void wwdg_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    report_device(m, "WWDG", wwdg_device.base, offset, true, value);
}

static uint32_t pwr_read(struct takt_machine *m, uint32_t offset)
{
    if (offset == 0x00)
        return m->f0->pwr_cr;
    if (offset == 0x04)
        return 8; /* CSR: the internal reference is ready */
    report_device(m, "PWR", pwr_device.base, offset, false, 0);
    return 0;
}

/* Low-power modes other than sleep are reported; DBP, which only opens the RTC, is not. */
static void pwr_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    if (offset == 0x00)
        m->f0->pwr_cr = value & 0x1f3;
    if (offset != 0x00 || (value & ~0x100u) != 0)
        report_device(m, "PWR", pwr_device.base, offset, true, value);
}

static void pwr_reset(struct takt_machine *m)
{
    m->f0->pwr_cr = 0;
}

/* What stops while a debugger halts the core: kept, as nobody halts it. */
static uint32_t dbgmcu_read(struct takt_machine *m, uint32_t offset)
{
    if (offset == 0x00)
        return 0x20006440; /* STM32F05x */
    if (offset <= 0x0c)
        return m->f0->dbgmcu[offset / 4 - 1];
    report_device(m, "DBGMCU", dbgmcu_device.base, offset, false, 0);
    return 0;
}

static void dbgmcu_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    if (offset >= 0x04 && offset <= 0x0c)
        m->f0->dbgmcu[offset / 4 - 1] = value;
    else
        report_device(m, "DBGMCU", dbgmcu_device.base, offset, true, value);
}

static void dbgmcu_reset(struct takt_machine *m)
{
    for (unsigned k = 0; k < 3; k++)
        m->f0->dbgmcu[k] = 0;
}

const struct device iwdg_device = {"IWDG",    0x40003000, ON_ALWAYS, 0,
                                   iwdg_read, iwdg_write, iwdg_reset};
const struct device wwdg_device = {"WWDG", 0x40002c00, ON_APB1, 11, wwdg_read, wwdg_write, NULL};
const struct device pwr_device = {"PWR", 0x40007000, ON_APB1, 28, pwr_read, pwr_write, pwr_reset};
const struct device dbgmcu_device = {"DBGMCU",    0x40015800,   ON_APB2,     22,
                                     dbgmcu_read, dbgmcu_write, dbgmcu_reset};
