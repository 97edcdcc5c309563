/* Pins, inputs and interrupts as the outside sees and moves them. */
#include "machine.h"

static void change_bit(uint32_t *set, uint32_t pin, bool on)
{
    *set = (*set & ~(1u << pin % 32)) | (uint32_t)on << pin % 32;
}

void takt_pin_drive(struct takt_machine *m, uint32_t pin, int32_t level, uint64_t at)
{
    if (!pin_exists(m, pin))
        return;
    if (at > m->now) {
        external_add(m, at, EXTERNAL_PIN, pin, level);
        return;
    }
    wave_end(m, pin, m->now);
    pins_outside(m, pin, level, m->now);
}

int32_t takt_pin_level(struct takt_machine *m, uint32_t pin)
{
    wave_sync(m, m->now);
    m->chip->outputs_refresh(m);
    return pin_exists(m, pin) ? (int32_t)(m->pins[pin / 32].wire >> pin % 32 & 1) : 0;
}

int32_t takt_pin_driven(struct takt_machine *m, uint32_t pin)
{
    return pin_exists(m, pin) ? (int32_t)(m->pins[pin / 32].driven >> pin % 32 & 1) : 0;
}

void takt_pin_pull_up(struct takt_machine *m, uint32_t pin, int32_t on)
{
    if (pin_exists(m, pin))
        pins_pull_up(m, pin, on != 0);
}

void takt_pin_watch(struct takt_machine *m, uint32_t pin, int32_t on)
{
    if (pin_exists(m, pin))
        change_bit(&m->pins[pin / 32].watch, pin, on != 0);
    m->chip->outputs_refresh(m);
}

void takt_pin_log(struct takt_machine *m, uint32_t pin, int32_t on)
{
    if (!pin_exists(m, pin))
        return;
    wave_sync(m, m->now);
    change_bit(&m->pins[pin / 32].log, pin, on != 0);
    change_bit(&m->pins[pin / 32].log_outside, pin, on > 1);
    m->chip->outputs_refresh(m);
    wave_arm(m);
}

uint32_t takt_pin_edges(struct takt_machine *m, struct takt_edge *out, uint32_t room)
{
    return record_take(&m->edges, out, room);
}

void takt_adc_set(struct takt_machine *m, uint32_t channel, double volts, uint64_t at)
{
    int64_t microvolts = (int64_t)(volts * 1e6 + (volts < 0 ? -0.5 : 0.5));
    if (channel >= m->chip->adc_channels)
        return;
    if (at <= m->now)
        m->chip->adc_set(m, channel, microvolts);
    else
        external_add(m, at, EXTERNAL_ADC, channel, microvolts);
}

int32_t takt_pin_pwm(struct takt_machine *m, uint32_t pin, double *frequency, double *duty)
{
    return pin_exists(m, pin) ? m->chip->pin_pwm(m, pin, frequency, duty) : 0;
}

int takt_pend_irq(struct takt_machine *m, int32_t irq, uint64_t at)
{
    if (irq >= EXC_COUNT - EXC_IRQ0 || (irq < 0 && irq != -14 && irq != -2 && irq != -1))
        return -1;
    if (at > m->now)
        external_add(m, at, EXTERNAL_IRQ, (uint32_t)(EXC_IRQ0 + irq), 0);
    else
        exception_pend(m, (unsigned)(EXC_IRQ0 + irq));
    return 0;
}
