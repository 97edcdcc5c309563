/* Outputs of the timers: PWM modes 1 and 2, forced levels, polarity, complementary outputs. */
#include "stm32f0.h"

enum { FORCED_LOW = 4, FORCED_HIGH, PWM1, PWM2 };

static uint32_t mode(const struct tim *t, unsigned channel)
{
    return t->ccmr[channel / 2] >> (8 * (channel & 1) + 4) & 7;
}

/* OCxREF. Other modes leave it low. */
static bool reference(const struct tim *t, unsigned channel)
{
    bool below = t->count < t->ccr_used[channel];
    switch (mode(t, channel)) {
    case FORCED_HIGH:
        return true;
    case PWM1:
        return below;
    case PWM2:
        return !below;
    }
    return false;
}

/* The position lags behind `when` until tim_advance(). */
uint32_t tim_output(const struct takt_machine *m, struct function f)
{
    const struct tim *t = &m->f0->tim[f.unit];
    uint32_t bits = t->ccer >> 4 * f.role & 15; /* enable, polarity, and both of the complement */
    bool complement = f.kind == FN_TIM_N, straight = (bits & 1) != 0;
    bool on = (bits & (complement ? 4 : 1)) != 0;
    if (tim_advanced(f.unit) && (t->bdtr & 0x8000) == 0)
        on = false;
    bool level = reference(t, f.role) != (complement && straight);
    level = level != ((bits & (complement ? 8 : 2)) != 0);
    return on ? 2u | level : 0;
}

bool tim_drives(const struct takt_machine *m)
{
    const uint32_t *pins = m->f0->tim_pins;
    return (pins[0] | pins[1] | pins[2]) != 0;
}

/* Does anybody look at the edges of a timer's outputs? */
bool tim_observed(const struct takt_machine *m, unsigned n)
{
    for (uint32_t bank = 0; bank < PIN_BANKS; bank++) {
        const struct pins *p = &m->pins[bank];
        for (uint32_t set = m->f0->tim_pins[bank]; set != 0; set &= set - 1) {
            uint32_t bit = (uint32_t)__builtin_ctz(set), pin = bank * 32 + bit;
            bool seen = ((p->watch | p->log | p->select | p->bus) >> bit & 1) != 0;
            if (m->f0->function[pin].unit == n && (seen || exti_edges_matter(m, pin)))
                return true;
        }
    }
    return false;
}

int32_t tim_pin_pwm(struct takt_machine *m, uint32_t pin, double *frequency, double *duty)
{
    struct function f = m->f0->function[pin];
    struct tim *t = &m->f0->tim[f.unit];
    if ((f.kind != FN_TIM && f.kind != FN_TIM_N) || (t->cr1 & 1) == 0 || mode(t, f.role) < PWM1)
        return 0;
    tim_advance(m, f.unit, m->now);
    if ((tim_output(m, f) & 2) == 0)
        return 0;
    double period = t->arr_used + 1.0, below = t->ccr_used[f.role];
    double high = below > period ? 1.0 : below / period;
    bool inverted = ((tim_output(m, f) & 1) != 0) != (t->count < t->ccr_used[f.role]);
    *frequency = m->f0->rcc.hclk_hz / (period * (double)tim_tick(m, t));
    *duty = inverted ? 1.0 - high : high;
    return 1;
}
