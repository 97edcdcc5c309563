/* Timers 0 and 2 (8 bits), 1 (16 bits): registers. */
#include "avr.h"

enum { CS_EXTERNAL = 6 };
enum { TIFR_TOV = 1, TIFR_OCA = 2, TIFR_ICF = 0x20 };

static const uint32_t control_a[TIMERS] = {R_TCCR0A, R_TCCR1A, R_TCCR2A};

static struct timer *of(struct takt_machine *m, unsigned n)
{
    return &m->mega->timer[n];
}

static unsigned unit(uint32_t reg)
{
    if (reg < R_TCCR1A)
        return reg == R_TIFR0 + 1 || reg == R_TIMSK0 + 1   ? 1
               : reg == R_TIFR0 + 2 || reg == R_TIMSK0 + 2 ? 2
                                                           : 0;
    return reg < R_TCCR2A ? 1 : 2;
}

unsigned timer_wgm(const struct takt_machine *m, unsigned n)
{
    const uint8_t *d = m->mega->d + control_a[n];
    return (d[0] & 3u) | (n == 1 ? d[1] >> 1 & 12u : d[1] >> 1 & 4u);
}

unsigned timer_com(const struct takt_machine *m, unsigned n, unsigned k)
{
    return m->mega->d[control_a[n]] >> (6 - 2 * k) & 3;
}

uint16_t timer_max(unsigned n)
{
    return n == 1 ? 0xffff : 0xff;
}

/* Timer 2 has prescaler taps of its own. */
static uint32_t divider(const struct takt_machine *m, unsigned n)
{
    static const uint16_t taps[2][8] = {{0, 1, 8, 64, 256, 1024, 0, 0},
                                        {0, 1, 8, 32, 64, 128, 256, 1024}};
    return taps[n == 2][m->mega->d[control_a[n] + 1] & 7];
}

static void settle(struct takt_machine *m, unsigned n, uint64_t when)
{
    timer_arm(m, n);
    port_refresh(m, when);
    bus_attention(m);
}

/* Before the first write of a compare output in a mode without PWM its latch is low. */
static void write_control(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                          uint64_t when)
{
    unsigned n = unit(reg);
    struct timer *t = of(m, n);
    timer_sync(m, n, when + 1);
    bool b = reg == control_a[n] + 1;
    if (b && n != 2 && (value & 7) >= CS_EXTERNAL)
        report_note(m, "a timer is to be clocked by a pin: not modelled");
    reg_keep(m, reg, value, bits);
    if (b && divider(m, n) != t->div) {
        t->div = divider(m, n);
        t->base = when + 1;
        t->zero = when + 1 - (uint64_t)t->count * t->div;
    }
    if (!timer_is_pwm(m, n)) {
        for (unsigned k = 0; k < 2; k++)
            t->ocr[k] = t->written[k];
    } else {
        for (unsigned k = 0; k < 2; k++)
            t->out[k] = timer_output(m, t, n, k);
    }
    settle(m, n, when + 1);
}

/* FOC bits force a match where there is no PWM. */
static void force(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits, uint64_t when)
{
    unsigned n = unit(reg);
    struct timer *t = of(m, n);
    if (n != 1)
        write_control(m, reg, value & 0x3f, bits, when);
    for (unsigned k = 0; k < 2 && !timer_is_pwm(m, n); k++) {
        unsigned com = timer_com(m, n, k);
        if ((value & bits & 0x80 >> k) != 0 && com != 0)
            t->out[k] = com == 1 ? !t->out[k] : com == 3;
    }
    settle(m, n, when + 1);
}

static uint16_t count_at(struct takt_machine *m, unsigned n, uint64_t when)
{
    timer_sync(m, n, when);
    timer_arm(m, n);
    return of(m, n)->count;
}

/* A 16-bit register is read low byte first, its high byte kept in TEMP. */
static uint8_t read_count(struct takt_machine *m, uint32_t reg, uint64_t when)
{
    unsigned n = unit(reg);
    if (reg == R_TCNT1H)
        return of(m, 1)->temp;
    uint16_t count = count_at(m, n, when);
    of(m, n)->temp = (uint8_t)(count >> 8);
    return (uint8_t)count;
}

static void set_count(struct takt_machine *m, unsigned n, uint16_t count, uint64_t when)
{
    struct timer *t = of(m, n);
    timer_sync(m, n, when + 1);
    t->count = count;
    t->down = false;
    t->blocked = true;
    t->zero = when + 1 - (uint64_t)count * t->div;
    settle(m, n, when + 1);
}

static void write_count(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                        uint64_t when)
{
    (void)bits;
    unsigned n = unit(reg);
    if (reg == R_TCNT1H)
        of(m, 1)->temp = value;
    else
        set_count(m, n, (uint16_t)(value | (n == 1 ? of(m, n)->temp << 8 : 0)), when);
}

static unsigned channel(uint32_t reg)
{
    return reg == R_OCR0B || reg == R_OCR2B || reg == R_OCR1BL || reg == R_OCR1BH;
}

static uint8_t read_compare(struct takt_machine *m, uint32_t reg, uint64_t when)
{
    (void)when;
    uint16_t value = of(m, unit(reg))->written[channel(reg)];
    return (uint8_t)(reg == R_OCR1AH || reg == R_OCR1BH ? value >> 8 : value);
}

static void write_compare(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                          uint64_t when)
{
    (void)bits;
    unsigned n = unit(reg), k = channel(reg);
    struct timer *t = of(m, n);
    if (reg == R_OCR1AH || reg == R_OCR1BH) {
        t->temp = value;
        return;
    }
    timer_sync(m, n, when + 1);
    t->written[k] = (uint16_t)(value | (n == 1 ? t->temp << 8 : 0));
    if (!timer_is_pwm(m, n) || t->div == 0)
        t->ocr[k] = t->written[k];
    settle(m, n, when + 1);
}

static uint8_t read_capture(struct takt_machine *m, uint32_t reg, uint64_t when)
{
    (void)when;
    struct timer *t = of(m, 1);
    if (reg == R_ICR1H)
        return t->temp;
    t->temp = (uint8_t)(t->icr >> 8);
    return (uint8_t)t->icr;
}

static void write_capture(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                          uint64_t when)
{
    (void)bits;
    struct timer *t = of(m, 1);
    if (reg == R_ICR1H) {
        t->temp = value;
        return;
    }
    timer_sync(m, 1, when + 1);
    t->icr = (uint16_t)(value | t->temp << 8);
    settle(m, 1, when + 1);
}

/* ICES1 tells which edge; ICR1 is a plain register in modes that count up to it. */
void timer_capture(struct takt_machine *m, bool rises, uint64_t when)
{
    unsigned mode = timer_wgm(m, 1);
    bool wanted = ((m->mega->d[R_TCCR1B] & 0x40) != 0) == rises;
    if (!wanted || mode == 8 || mode == 10 || mode == 12 || mode == 14)
        return;
    of(m, 1)->icr = count_at(m, 1, when);
    flag_raise(m, R_TIFR0 + 1, TIFR_ICF);
}

static uint8_t read_flags(struct takt_machine *m, uint32_t reg, uint64_t when)
{
    count_at(m, unit(reg), when);
    return m->mega->d[reg];
}

static void write_flags(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                        uint64_t when)
{
    timer_sync(m, unit(reg), when);
    reg_flags(m, reg, value, bits, when);
    timer_arm(m, unit(reg));
}

static void write_mask(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                       uint64_t when)
{
    timer_sync(m, unit(reg), when);
    reg_keep(m, reg, value, bits);
    timer_arm(m, unit(reg));
    bus_attention(m);
}

#define TSM 0x80u

/* GTCCR: resets of the prescalers; TSM, which holds them, is not modelled. */
static void write_prescaler(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                            uint64_t when)
{
    (void)reg;
    if (value & TSM)
        machine_fail(m, TAKT_STOP_FAULT, "GTCCR holds the prescalers of timers: not modelled");
    for (unsigned n = 0; n < TIMERS; n++) {
        if ((value & bits & (n == 2 ? 2 : 1)) == 0)
            continue;
        timer_sync(m, n, when + 1);
        m->mega->prescaler[n] = when + 1;
        timer_arm(m, n);
    }
}

void timer_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    unsigned n = id - EV_TIMER;
    timer_sync(m, n, when);
    timer_arm(m, n);
}

void timer_reset(struct takt_machine *m)
{
    for (unsigned n = 0; n < TIMERS; n++) {
        m->mega->prescaler[n] = 0;
        *of(m, n) = (struct timer){0};
    }
}

/* Power-down: the clock has stood still. */
void timer_frozen(struct takt_machine *m, uint64_t cycles)
{
    for (unsigned n = 0; n < TIMERS; n++) {
        m->mega->prescaler[n] += cycles;
        of(m, n)->base += cycles;
        of(m, n)->zero += cycles;
        timer_arm(m, n);
    }
}

void timer_define(struct takt_machine *m)
{
    for (unsigned n = 0; n < TIMERS; n++) {
        uint32_t a = control_a[n];
        reg_define(m, R_TIFR0 + n, read_flags, write_flags, 0xff);
        reg_define(m, R_TIMSK0 + n, NULL, write_mask, n == 1 ? 0x27 : 7);
        reg_define(m, a, NULL, write_control, 0xf3);
        reg_define(m, a + 1, NULL, n == 1 ? write_control : force, n == 1 ? 0xdf : 0xcf);
    }
    for (uint32_t reg = 0; reg < 2; reg++) {
        reg_define(m, R_OCR0A + reg, read_compare, write_compare, 0xff);
        reg_define(m, R_OCR2A + reg, read_compare, write_compare, 0xff);
        reg_define(m, R_TCNT1L + reg, read_count, write_count, 0xff);
        reg_define(m, R_ICR1L + reg, read_capture, write_capture, 0xff);
    }
    for (uint32_t reg = R_OCR1AL; reg <= R_OCR1BH; reg++)
        reg_define(m, reg, read_compare, write_compare, 0xff);
    reg_define(m, R_TCNT0, read_count, write_count, 0xff);
    reg_define(m, R_TCNT2, read_count, write_count, 0xff);
    reg_define(m, R_TCCR1C, NULL, force, 0xc0);
    reg_define(m, R_GTCCR, NULL, write_prescaler, 3);
}
