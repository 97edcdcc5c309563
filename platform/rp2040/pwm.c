/*
 * PWM: eight slices. A slice's waveform is a function of time, so nothing runs between edges;
 * edges become events only where they matter (a logged or watched pin, an interrupt, DMA).
 *
 * Time is kept in 1/16 cycles because the divider has 4 fraction bits. `epoch` is the start of
 * the period now running; a position is counted in counter ticks since then:
 *
 *   plain:          counter = position,         period TOP + 1
 *   phase-correct:  up, then down again,        period 2 * (TOP + 1)
 */
#include "rp2040.h"

enum { CSR_EN = 1, CSR_PH_CORRECT = 2, CSR_A_INV = 4, CSR_B_INV = 8 };

static uint64_t tick16(const struct pwm_slice *s)
{
    return (s->div & 0xff0) != 0 ? s->div & 0xfff : 0x1000 | (s->div & 15);
}

static uint64_t period(const struct pwm_slice *s)
{
    return ((uint64_t)s->top + 1) << ((s->csr & CSR_PH_CORRECT) != 0);
}

/* Brings `epoch` up to the period of `cycle`, taking over buffered values at the first wrap.
 * True when the counter wrapped. */
static bool advance(struct pwm_slice *s, uint64_t cycle)
{
    uint64_t now = cycle * 16, length = period(s) * tick16(s);
    if ((s->csr & CSR_EN) == 0 || now < s->epoch + length)
        return false;
    s->epoch += length;
    s->cc = s->next_cc;
    s->top = s->next_top;
    length = period(s) * tick16(s);
    s->epoch += (now - s->epoch) / length * length;
    return true;
}

static uint64_t position(const struct pwm_slice *s, uint64_t cycle)
{
    if ((s->csr & CSR_EN) == 0)
        return s->frozen;
    return cycle * 16 > s->epoch ? (cycle * 16 - s->epoch) / tick16(s) : 0;
}

static uint32_t counter(const struct pwm_slice *s, uint64_t cycle)
{
    uint64_t at = position(s, cycle);
    return (uint32_t)(at <= s->top ? at : 2 * (uint64_t)s->top + 1 - at);
}

static uint32_t slice_of(uint32_t pin)
{
    return pin >> 1 & 7;
}

bool pwm_level(const struct takt_machine *m, uint32_t pin, uint64_t when)
{
    struct pwm_slice s = m->soc->pwm.slice[slice_of(pin)];
    advance(&s, when);
    uint32_t cc = (pin & 1) != 0 ? s.cc >> 16 : s.cc & 0xffff;
    bool inverted = (s.csr & ((pin & 1) != 0 ? CSR_B_INV : CSR_A_INV)) != 0;
    return (counter(&s, when) < cc) != inverted;
}

/* Does anybody look at the edges of slice n? */
static bool observed(const struct takt_machine *m, uint32_t n)
{
    const struct gpio *g = &m->soc->gpio;
    bool read = pio_looks(m);
    if ((m->soc->pwm.inte >> n & 1) != 0 || dma_paced_by(m, TREQ_PWM + n))
        return true;
    for (uint32_t pin = 2 * n; pin < PIN_COUNT; pin = (pin & 1) == 0 ? pin + 1 : pin + 15) {
        bool seen = read || ((m->pins[0].watch | m->pins[0].log) >> pin & 1) != 0 ||
                    (g->inte[pin / 8] >> (pin % 8 * 4) & 15) != 0;
        if ((g->ctrl[pin] & 31) == FUNC_PWM && seen)
            return true;
    }
    return false;
}

static void schedule(struct takt_machine *m, uint32_t n, uint64_t after)
{
    const struct pwm_slice *s = &m->soc->pwm.slice[n];
    uint64_t now = position(s, after), best = period(s), tick = tick16(s);
    uint64_t edges[4] = {s->cc & 0xffff, s->cc >> 16, TAKT_NEVER, TAKT_NEVER};
    if ((s->csr & CSR_EN) == 0 || !observed(m, n)) {
        event_set(m, EV_PWM0 + n, TAKT_NEVER);
        return;
    }
    if ((s->csr & CSR_PH_CORRECT) != 0) {
        edges[2] = best - edges[0];
        edges[3] = best - edges[1];
    }
    for (unsigned k = 0; k < 4; k++) {
        if (edges[k] > now && edges[k] < best)
            best = edges[k];
    }
    event_set(m, EV_PWM0 + n, (s->epoch + best * tick + 15) / 16);
}

static void update_irq(struct takt_machine *m)
{
    const struct pwm *p = &m->soc->pwm;
    irq_line(m, IRQ_PWM_WRAP, ((p->intr | p->intf) & p->inte) != 0);
}

static void catch_up(struct takt_machine *m, uint32_t n, uint64_t when)
{
    if (!advance(&m->soc->pwm.slice[n], when))
        return;
    m->soc->pwm.intr |= 1u << n;
    dma_pulse(m, TREQ_PWM + n, when);
}

void pwm_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    uint32_t n = id - EV_PWM0;
    catch_up(m, n, when);
    schedule(m, n, when);
    update_irq(m);
    gpio_outputs(m, when);
}

void pwm_refresh(struct takt_machine *m)
{
    for (uint32_t n = 0; n < 8; n++) {
        if ((m->soc->pwm.slice[n].csr & CSR_EN) == 0)
            continue;
        catch_up(m, n, m->now);
        schedule(m, n, m->now);
    }
}

static void pwm_reset(struct takt_machine *m)
{
    struct pwm *p = &m->soc->pwm;
    *p = (struct pwm){.intr = 0};
    for (uint32_t n = 0; n < 8; n++) {
        p->slice[n].div = 0x10;
        p->slice[n].top = p->slice[n].next_top = 0xffff;
        schedule(m, n, m->now);
    }
    update_irq(m);
}

/* A change that keeps the counter where it is. */
static void reposition(struct pwm_slice *s, uint64_t now, uint64_t at)
{
    s->frozen = at;
    s->epoch = now * 16 - at * tick16(s);
}

static void write_csr(struct takt_machine *m, struct pwm_slice *s, uint32_t value)
{
    uint64_t at = position(s, m->now);
    if ((value & 0xf0) != 0)
        report_access(m, "PWM (divider gated by a pin, phase steps)", 0x40050000u, 0, true, value);
    s->csr = value & 0x3f;
    if (at >= period(s))
        at = 0;
    reposition(s, m->now, at);
    if ((s->csr & CSR_EN) == 0) {
        s->cc = s->next_cc;
        s->top = s->next_top;
    }
}

static void slice_write(struct takt_machine *m, uint32_t n, uint32_t offset, uint32_t value)
{
    struct pwm_slice *s = &m->soc->pwm.slice[n];
    bool on = (s->csr & CSR_EN) != 0;
    uint64_t at = position(s, m->now);
    catch_up(m, n, m->now);
    if (offset == 0x00) {
        write_csr(m, s, value);
    } else if (offset == 0x04) {
        at = position(s, m->now);
        s->div = value & 0xfff;
        reposition(s, m->now, at);
    } else if (offset == 0x08) {
        reposition(s, m->now, value & 0xffff);
    } else if (offset == 0x0c) {
        s->next_cc = value;
        s->cc = on ? s->cc : value;
    } else {
        s->next_top = value & 0xffff;
        s->top = on ? s->top : value & 0xffff;
    }
}

static uint32_t enabled(const struct pwm *p)
{
    uint32_t set = 0;
    for (uint32_t n = 0; n < 8; n++)
        set |= (p->slice[n].csr & CSR_EN) << n;
    return set;
}

static uint32_t pwm_read(struct takt_machine *m, uint32_t offset)
{
    struct pwm *p = &m->soc->pwm;
    if (offset < 0xa0) {
        struct pwm_slice *s = &p->slice[offset / 0x14];
        catch_up(m, offset / 0x14, m->now);
        uint32_t value[5] = {s->csr, s->div, counter(s, m->now), s->next_cc, s->next_top};
        return value[offset % 0x14 / 4];
    }
    for (uint32_t n = 0; n < 8; n++)
        catch_up(m, n, m->now);
    switch (offset) {
    case 0xa0:
        return enabled(p);
    case 0xa4:
        return p->intr;
    case 0xa8:
        return p->inte;
    case 0xac:
        return p->intf;
    case 0xb0:
        return (p->intr | p->intf) & p->inte;
    }
    report_access(m, "PWM", 0x40050000u + offset, offset, false, 0);
    return 0;
}

static void global_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct pwm *p = &m->soc->pwm;
    for (uint32_t n = 0; n < 8; n++) {
        catch_up(m, n, m->now);
        if (offset == 0xa0)
            write_csr(m, &p->slice[n], (p->slice[n].csr & ~1u) | (value >> n & 1));
    }
    if (offset == 0xa4)
        p->intr &= ~value;
    else if (offset == 0xa8)
        p->inte = value & 0xff;
    else if (offset == 0xac)
        p->intf = value & 0xff;
    else if (offset != 0xa0)
        report_access(m, "PWM", 0x40050000u + offset, offset, true, value);
}

static void pwm_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    if (offset < 0xa0)
        slice_write(m, offset / 0x14, offset % 0x14, value);
    else
        global_write(m, offset, value);
    for (uint32_t n = 0; n < 8; n++)
        schedule(m, n, m->now);
    update_irq(m);
    gpio_outputs(m, m->now);
}

int32_t pwm_of_pin(struct takt_machine *m, uint32_t pin, double *frequency, double *duty)
{
    if ((m->soc->gpio.ctrl[pin] & 31) != FUNC_PWM)
        return 0;
    struct pwm_slice s = m->soc->pwm.slice[slice_of(pin)];
    if ((s.csr & CSR_EN) == 0)
        return 0;
    advance(&s, m->now);
    uint32_t cc = (pin & 1) != 0 ? s.cc >> 16 : s.cc & 0xffff;
    double high = cc > s.top ? 1.0 : cc / (s.top + 1.0);
    bool inverted = (s.csr & ((pin & 1) != 0 ? CSR_B_INV : CSR_A_INV)) != 0;
    *frequency = chip_hz(m) * 16.0 / ((double)period(&s) * (double)tick16(&s));
    *duty = inverted ? 1.0 - high : high;
    return 1;
}

const struct device pwm_device = {"PWM", 0x40050000, 14, pwm_read, pwm_write, pwm_reset};
