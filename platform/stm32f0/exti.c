/*
 * EXTI: edges of pins set pending bits, masked or not; software does so on enabled lines. Three
 * interrupts for lines 0-1, 2-3, 4-15. SYSCFG says which port's pin a line hears, and what is at
 * address 0.
 */
#include "stm32f0.h"

#define LINES 0xffffu

static uint32_t port_of_line(const struct takt_machine *m, uint32_t line)
{
    return m->f0->syscfg.exticr[line / 4] >> (line % 4 * 4) & 15;
}

static void update_irq(struct takt_machine *m)
{
    uint32_t active = m->f0->exti.pr & m->f0->exti.imr;
    irq_line(m, IRQ_EXTI0_1, (active & 3) != 0);
    irq_line(m, IRQ_EXTI2_3, (active & 12) != 0);
    irq_line(m, IRQ_EXTI4_15, (active & 0xfff0) != 0);
}

static void request(struct takt_machine *m, uint32_t lines)
{
    m->f0->exti.pr |= lines;
    if ((lines & m->f0->exti.emr) != 0) {
        m->exc.event = true;
        bus_attention(m);
    }
}

/* Which of these lines, all of one port, are not deaf? */
static uint32_t heard(const struct takt_machine *m, uint32_t port, uint32_t lines)
{
    uint32_t found = 0;
    for (uint32_t set = lines; set != 0; set &= set - 1) {
        uint32_t line = (uint32_t)__builtin_ctz(set);
        bool analog = (m->f0->bank[port / 2].analog >> (port % 2 * 16 + line) & 1) != 0;
        if (port_of_line(m, line) == port && !analog)
            found |= 1u << line;
    }
    return found;
}

void exti_changed(struct takt_machine *m, uint32_t bank, uint32_t changed, uint64_t when)
{
    const struct exti *e = &m->f0->exti;
    uint32_t armed = e->rtsr | e->ftsr;
    (void)when;
    if (((changed | changed >> 16) & armed) == 0)
        return;
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t high = m->pins[bank].wire >> 16 * half;
        uint32_t lines = changed >> 16 * half & LINES & ((high & e->rtsr) | (~high & e->ftsr));
        if (lines != 0)
            request(m, heard(m, 2 * bank + half, lines));
    }
    update_irq(m);
}

/* A wave went up and down unseen. */
void exti_edges_passed(struct takt_machine *m, uint32_t pin)
{
    const struct exti *e = &m->f0->exti;
    bool ours = ((m->pins[pin / 32].driven | m->pins[pin / 32].low) >> pin % 32 & 1) == 0;
    uint32_t lines = (e->rtsr | e->ftsr) & 1u << pin % 16;
    if (ours)
        request(m, heard(m, pin / 16, lines));
    update_irq(m);
}

/* Not when its bit is pending already. */
bool exti_edges_matter(const struct takt_machine *m, uint32_t pin)
{
    const struct exti *e = &m->f0->exti;
    uint32_t line = 1u << pin % 16, listens = (e->imr & ~e->pr) | e->emr;
    return (listens & (e->rtsr | e->ftsr) & line) != 0 && heard(m, pin / 16, line) != 0;
}

static void exti_reset(struct takt_machine *m)
{
    m->f0->exti = (struct exti){.imr = 0x0f940000};
    update_irq(m);
}

static uint32_t exti_read(struct takt_machine *m, uint32_t offset)
{
    const struct exti *e = &m->f0->exti;
    const uint32_t value[6] = {e->imr, e->emr, e->rtsr, e->ftsr, e->swier, 0};
    wave_sync(m, m->now);
    if (offset == 0x14)
        return e->pr;
    if (offset < 0x14)
        return value[offset / 4];
    report_device(m, "EXTI", exti_device.base, offset, false, 0);
    return 0;
}

static void exti_set(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct exti *e = &m->f0->exti;
    uint32_t *const plain[4] = {&e->imr, &e->emr, &e->rtsr, &e->ftsr};
    if (offset < 0x10) {
        *plain[offset / 4] = value;
    } else if (offset == 0x10) {
        request(m, value & ~e->swier & LINES & (e->imr | e->emr));
        e->swier |= value & LINES;
    } else {
        e->pr &= ~value;
        e->swier &= ~value;
    }
}

static void exti_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    bool inside = offset != 0 && offset < 0x14 && (value & ~LINES) != 0; /* lines within */
    wave_sync(m, m->now);
    if (inside || offset > 0x14)
        report_device(m, "EXTI (lines above 15)", exti_device.base, offset, true, value);
    if (offset <= 0x14)
        exti_set(m, offset, value);
    update_irq(m);
    if (offset < 0x10)
        tim_refresh(m);
    if (m->waves != 0)
        wave_arm(m);
}

static void syscfg_reset(struct takt_machine *m)
{
    m->f0->syscfg = (struct syscfg){.cfgr1 = 0};
}

static uint32_t syscfg_read(struct takt_machine *m, uint32_t offset)
{
    const struct syscfg *s = &m->f0->syscfg;
    if (offset == 0x00)
        return s->cfgr1;
    if (offset >= 0x08 && offset <= 0x14)
        return s->exticr[offset / 4 - 2];
    if (offset == 0x18)
        return s->cfgr2;
    report_device(m, "SYSCFG", f0_syscfg_device.base, offset, false, 0);
    return 0;
}

static void syscfg_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct syscfg *s = &m->f0->syscfg;
    wave_sync(m, m->now);
    if (offset == 0x00)
        s->cfgr1 = value & 0x007f1f03;
    else if (offset >= 0x08 && offset <= 0x14)
        s->exticr[offset / 4 - 2] = value & 0xffff;
    if (offset == 0x04 || offset > 0x14 || (offset == 0 && (value & 0x1f00) != 0))
        report_device(m, "SYSCFG (DMA remap, breaks)", f0_syscfg_device.base, offset, true, value);
    if (m->waves != 0)
        wave_arm(m);
}

const struct device exti_device = {"EXTI",    0x40010400, ON_ALWAYS, 0,
                                   exti_read, exti_write, exti_reset};
const struct device f0_syscfg_device = {"SYSCFG",    0x40010000,   ON_APB2,     0,
                                        syscfg_read, syscfg_write, syscfg_reset};
