/* System control space: SysTick, NVIC and system control block (0xe000e000). */
#include "machine.h"

bool systick_interrupts(const struct takt_machine *m)
{
    return (m->tick.control & 2) != 0 && m->event_at[EV_SYSTICK] != TAKT_NEVER;
}

static uint64_t tick_cycles(const struct takt_machine *m)
{
    if ((m->tick.control & 4) != 0)
        return 1;
    return m->chip->systick_cycles(m);
}

void systick_reset(struct takt_machine *m)
{
    m->tick = (struct systick){0};
    m->tick.expires = TAKT_NEVER;
}

static uint32_t tick_value(const struct takt_machine *m)
{
    const struct systick *t = &m->tick;
    if ((t->control & 1) == 0 || t->expires == TAKT_NEVER)
        return t->stopped_at;
    uint64_t left = t->expires > m->now ? (t->expires - m->now) / tick_cycles(m) : 0;
    return left > t->reload ? 0 : (uint32_t)left;
}

static void tick_start(struct takt_machine *m, uint64_t from, uint32_t value)
{
    struct systick *t = &m->tick;
    uint64_t left = value != 0 ? value : t->reload != 0 ? t->reload + 1ull : 0;
    t->stopped_at = value;
    t->expires = left != 0 ? from + left * tick_cycles(m) : TAKT_NEVER;
    event_set(m, EV_SYSTICK, (t->control & 1) != 0 ? t->expires : TAKT_NEVER);
}

void systick_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    (void)id;
    m->tick.counted = true;
    if ((m->tick.control & 2) != 0)
        exception_pend(m, EXC_SYSTICK);
    tick_start(m, when, 0);
}

static uint32_t tick_read(struct takt_machine *m, uint32_t offset)
{
    struct systick *t = &m->tick;
    if (offset == 0x10) {
        uint32_t value = t->control | (uint32_t)t->counted << 16;
        t->counted = false;
        return value;
    }
    return offset == 0x14   ? t->reload
           : offset == 0x18 ? tick_value(m)
                            : m->chip->systick_calibration;
}

static void tick_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct systick *t = &m->tick;
    if (offset == 0x10) {
        uint32_t now = tick_value(m);
        t->control = value & 7;
        tick_start(m, m->now, now);
    } else if (offset == 0x14) {
        t->reload = value & 0xffffff;
        if (t->expires == TAKT_NEVER)
            tick_start(m, m->now, t->stopped_at);
    } else if (offset == 0x18) {
        t->counted = false;
        tick_start(m, m->now, 0);
    }
}

static uint32_t priorities_read(const struct takt_machine *m, unsigned first)
{
    uint32_t value = 0;
    for (unsigned k = 0; k < 4; k++)
        value |= ((uint32_t)m->exc.priority[first + k] & 0xff) << (8 * k);
    return value;
}

static void priorities_write(struct takt_machine *m, unsigned first, uint32_t value, uint32_t lanes)
{
    for (unsigned k = 0; k < 4; k++) {
        if ((lanes >> k & 1) != 0)
            m->exc.priority[first + k] = (int16_t)(value >> (8 * k) & 0xc0);
    }
    bus_attention(m);
}

static uint32_t icsr_read(const struct takt_machine *m)
{
    const struct exceptions *e = &m->exc;
    uint64_t ready = e->pending & e->enabled;
    unsigned best = 0;
    for (unsigned n = 1; n < EXC_COUNT; n++) {
        if ((ready >> n & 1) != 0 && (best == 0 || e->priority[n] < e->priority[best]))
            best = n;
    }
    return (uint32_t)(e->pending >> EXC_NMI & 1) << 31 |
           (uint32_t)(e->pending >> EXC_PENDSV & 1) << 28 |
           (uint32_t)(e->pending >> EXC_SYSTICK & 1) << 26 |
           (uint32_t)(e->pending >> EXC_IRQ0 != 0) << 22 | best << 12 | m->ipsr;
}

static void icsr_write(struct takt_machine *m, uint32_t value)
{
    if ((value >> 31) != 0)
        exception_ask(m, EXC_NMI);
    if ((value & 1u << 28) != 0)
        exception_ask(m, EXC_PENDSV);
    if ((value & 1u << 27) != 0)
        m->exc.pending &= ~(1ull << EXC_PENDSV);
    if ((value & 1u << 26) != 0)
        exception_ask(m, EXC_SYSTICK);
    if ((value & 1u << 25) != 0)
        m->exc.pending &= ~(1ull << EXC_SYSTICK);
}

static void nvic_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct exceptions *e = &m->exc;
    uint64_t bits = (uint64_t)value << EXC_IRQ0;
    if (offset == 0x100)
        e->enabled |= bits;
    else if (offset == 0x180)
        e->enabled &= ~bits;
    else if (offset == 0x200)
        for (uint64_t set = bits & ~e->pending; set != 0; set &= set - 1)
            exception_ask(m, (unsigned)__builtin_ctzll(set));
    else /* an input still high pends again at once, unless its handler is active */
        e->pending = (e->pending & ~bits) | (bits & (uint64_t)e->lines << EXC_IRQ0 & ~e->active);
    bus_attention(m);
}

static bool is_nvic(uint32_t offset)
{
    return offset == 0x100 || offset == 0x180 || offset == 0x200 || offset == 0x280;
}

static bool is_mpu(const struct takt_machine *m, uint32_t offset)
{
    return m->chip->mpu_regions != 0 && offset - MPU_TYPE <= 16;
}

static uint32_t block_read(struct takt_machine *m, uint32_t offset)
{
    const struct exceptions *e = &m->exc;
    switch (offset) {
    case 0xd00:
        return m->core == TAKT_CORE_M0 ? 0x410cc200u : 0x410cc601u;
    case 0xd04:
        return icsr_read(m);
    case 0xd08:
        return m->chip->vtor ? e->vtor : 0;
    case 0xd0c:
        return 0xfa050000u;
    case 0xd10:
        return e->scr;
    case 0xd14:
        return 0x208;
    case 0xd24:
        return (uint32_t)(e->pending >> EXC_SVCALL & 1) << 15;
    }
    report_access(m, "SCS", 0xe000e000u + offset, offset, false, 0);
    return 0;
}

uint32_t scs_read(struct takt_machine *m, uint32_t offset)
{
    const struct exceptions *e = &m->exc;
    if (offset >= 0x10 && offset <= 0x1c)
        return tick_read(m, offset);
    if (offset >= 0x400 && offset < 0x420)
        return priorities_read(m, EXC_IRQ0 + offset - 0x400);
    if (is_nvic(offset))
        return (uint32_t)((offset < 0x200 ? e->enabled : e->pending) >> EXC_IRQ0);
    if (is_mpu(m, offset))
        return mpu_read(m, offset);
    if (offset == 0xd1c || offset == 0xd20)
        return priorities_read(m, offset == 0xd1c ? 8 : 12);
    return block_read(m, offset);
}

static void aircr_write(struct takt_machine *m, uint32_t value)
{
    if (value >> 16 == 0x05fa && (value & 4) != 0)
        machine_fail(m, TAKT_STOP_FAULT, "system reset requested (AIRCR) at pc=0x%08x",
                     (unsigned)code_address(m, m->at));
}

void scs_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    if (offset >= 0x10 && offset <= 0x1c)
        tick_write(m, offset, value);
    else if (offset >= 0x400 && offset < 0x420)
        priorities_write(m, EXC_IRQ0 + offset - 0x400, value, 15);
    else if (is_nvic(offset))
        nvic_write(m, offset, value);
    else if (is_mpu(m, offset))
        mpu_write(m, offset, value);
    else if (offset == 0xd04)
        icsr_write(m, value);
    else if (offset == 0xd08 && m->chip->vtor)
        m->exc.vtor = value & ~0xffu; /* also with the M0 table, which only changes the cycles */
    else if (offset == 0xd0c)
        aircr_write(m, value);
    else if (offset == 0xd10)
        m->exc.scr = value & 0x16;
    else if (offset == 0xd1c)
        priorities_write(m, 8, value, 8); /* only SVCall */
    else if (offset == 0xd20)
        priorities_write(m, 12, value, 12); /* PendSV, SysTick */
    else
        report_access(m, "SCS", 0xe000e000u + offset, offset, true, value);
}
