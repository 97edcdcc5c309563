/* SIO: the single-cycle I/O port. GPIO, spinlocks, the divider; FIFO of the absent core 1. */
#include <string.h>

#include "rp2040.h"

#define DIVIDE_CYCLES 8u

void sio_reset(struct takt_machine *m)
{
    struct gpio *g = &m->soc->gpio;
    g->out = g->oe = g->qspi_out = g->qspi_oe = 0;
    m->soc->spinlocks = 0;
    memset(&m->soc->divider, 0, sizeof m->soc->divider);
}

/* Registers come in fours: value, set, clear, xor. */
static void change(uint32_t *reg, uint32_t how, uint32_t value)
{
    switch (how & 3) {
    case 0:
        *reg = value;
        break;
    case 1:
        *reg |= value;
        break;
    case 2:
        *reg &= ~value;
        break;
    case 3:
        *reg ^= value;
        break;
    }
}

static void divide(struct takt_machine *m, bool is_signed)
{
    struct divider *d = &m->soc->divider;
    uint32_t n = d->dividend, by = d->divisor;
    bool n_neg = is_signed && n >> 31 != 0, by_neg = is_signed && by >> 31 != 0;
    uint32_t n_abs = n_neg ? 0u - n : n, by_abs = by_neg ? 0u - by : by;
    if (by == 0) { /* documented result: all ones with the sign turned, dividend left over */
        d->quotient = n_neg ? 1 : 0xffffffffu;
        d->remainder = n;
    } else {
        uint32_t q = n_abs / by_abs, r = n_abs % by_abs;
        d->quotient = n_neg != by_neg ? 0u - q : q;
        d->remainder = n_neg ? 0u - r : r;
    }
    d->dirty = true;
    d->ready_at = m->now + DIVIDE_CYCLES;
}

static uint32_t divider_read(struct takt_machine *m, uint32_t offset)
{
    struct divider *d = &m->soc->divider;
    bool ready = m->now >= d->ready_at;
    if (!ready && (offset == 0x70 || offset == 0x74))
        report_note(m, "SIO divider result read before it was ready");
    switch (offset) {
    case 0x60:
    case 0x68:
        return d->dividend;
    case 0x64:
    case 0x6c:
        return d->divisor;
    case 0x70:
        d->dirty = false;
        return d->quotient;
    case 0x74:
        return d->remainder;
    }
    return (uint32_t)d->dirty << 1 | (uint32_t)ready;
}

static void divider_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct divider *d = &m->soc->divider;
    if (offset == 0x70 || offset == 0x74) {
        *(offset == 0x70 ? &d->quotient : &d->remainder) = value;
        d->dirty = true;
        return;
    }
    *((offset & 4) != 0 ? &d->divisor : &d->dividend) = value;
    divide(m, offset >= 0x68);
}

static uint32_t spinlock_read(struct takt_machine *m, uint32_t n)
{
    uint32_t bit = 1u << n;
    if ((m->soc->spinlocks & bit) != 0)
        return 0;
    m->soc->spinlocks |= bit;
    return bit;
}

static uint32_t gpio_register(const struct gpio *g, uint32_t offset)
{
    const uint32_t *reg[4] = {&g->out, &g->oe, &g->qspi_out, &g->qspi_oe};
    return *reg[offset / 16 - 1];
}

uint32_t sio_read(struct takt_machine *m, uint32_t offset)
{
    if (offset >= 0x10 && offset < 0x50)
        return gpio_register(&m->soc->gpio, offset);
    if (offset >= 0x60 && offset < 0x7c)
        return divider_read(m, offset);
    if (offset >= 0x100 && offset < 0x180)
        return spinlock_read(m, (offset - 0x100) / 4);
    switch (offset) {
    case 0x00:
        return 0; /* CPUID: core 0 */
    case 0x04:
        wave_sync(m, m->now);
        if (m->soc->gpio.pwm != 0)
            gpio_refresh(m);
        return gpio_inputs(m);
    case 0x08:
        return 0x3e; /* QSPI pins idle: select low-active, data pulled up */
    case 0x50:
        return 2; /* FIFO: nothing to read, room to write */
    case 0x5c:
        return m->soc->spinlocks;
    }
    report_access(m, "SIO", 0xd0000000u + offset, offset, false, 0);
    return 0;
}

void sio_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct gpio *g = &m->soc->gpio;
    uint32_t *reg[4] = {&g->out, &g->oe, &g->qspi_out, &g->qspi_oe};
    if (offset >= 0x10 && offset < 0x50) {
        uint32_t mask = offset < 0x30 ? (1u << PIN_COUNT) - 1 : 0x3f;
        change(reg[offset / 16 - 1], offset / 4, value & mask);
        if (offset / 4 % 4 == 0)
            *reg[offset / 16 - 1] &= mask;
        if (offset < 0x30)
            gpio_plain_outputs(m);
    } else if (offset >= 0x60 && offset < 0x78) {
        divider_write(m, offset, value);
    } else if (offset >= 0x100 && offset < 0x180) {
        m->soc->spinlocks &= ~(1u << (offset - 0x100) / 4);
    } else if (offset != 0x50) { /* FIFO_ST: clears error flags that are never set */
        report_access(m, "SIO", 0xd0000000u + offset, offset, true, value);
    }
}
