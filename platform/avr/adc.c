/*
 * ADC: single conversions and free running, 13 of its clocks (the first 25), the input sampled
 * after 1.5 (13.5). Its clock's edges are counted from when it was turned on. No noise, no error.
 */
#include "avr.h"

enum { ADEN = 0x80, ADSC = 0x40, ADATE = 0x20, ADIF = 0x10 };
enum { ADLAR = 0x20 };
#define SUPPLY_UV   5000000 /* AVCC; and AREF, which is taken to be connected to it */
#define BAND_GAP_UV 1100000

static uint64_t clock_cycles(const struct takt_machine *m)
{
    unsigned shift = m->mega->d[R_ADCSRA] & 7;
    return 1ull << (shift != 0 ? shift : 1);
}

static int64_t reference(const struct takt_machine *m)
{
    unsigned select = m->mega->d[R_ADMUX] >> 6;
    if (select == 2 && m->mega->chip->reference2_uv == 0)
        return SUPPLY_UV;
    return select == 2 ? m->mega->chip->reference2_uv
           : select == 3 ? m->mega->chip->reference3_uv
                         : SUPPLY_UV;
}

static int64_t input(struct takt_machine *m)
{
    const struct mega_chip *chip = m->mega->chip;
    unsigned mux = m->mega->adc.mux;
    if (mux < 8 || mux == chip->temperature)
        return m->mega->adc.microvolts[mux];
    if (mux == chip->ground || mux == chip->ground - 1u)
        return mux == chip->ground ? 0 : BAND_GAP_UV;
    report_note(m, "the ADC is to convert an input that is not modelled");
    return 0;
}

static void start(struct takt_machine *m, uint64_t when)
{
    struct adc *a = &m->mega->adc;
    uint64_t clock = clock_cycles(m);
    uint64_t edge = a->clock0 + (when - a->clock0 + clock - 1) / clock * clock;
    uint64_t halves = a->first ? 27 : 3;
    a->ends = edge + clock * (a->first ? 25 : 13);
    a->first = a->sampled = false;
    a->mux = m->mega->d[R_ADMUX] & m->mega->chip->mux_bits;
    m->mega->d[R_ADCSRA] |= ADSC;
    event_set(m, EV_ADC, edge + clock * halves / 2);
}

static void sample(struct takt_machine *m)
{
    struct adc *a = &m->mega->adc;
    int64_t value = input(m) * 1024 / reference(m);
    a->sampled = true;
    a->pending = (uint16_t)(value < 0 ? 0 : value > 1023 ? 1023 : value);
    event_set(m, EV_ADC, a->ends);
}

void adc_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    (void)id;
    struct adc *a = &m->mega->adc;
    if (!a->sampled) {
        sample(m);
        return;
    }
    if (!a->locked)
        a->result = a->pending;
    m->mega->d[R_ADCSRA] &= (uint8_t)~ADSC;
    flag_raise(m, R_ADCSRA, ADIF);
    if ((m->mega->d[R_ADCSRA] & ADATE) != 0)
        start(m, when);
}

static void write_control(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                          uint64_t when)
{
    (void)bits;
    uint8_t *d = &m->mega->d[reg], before = *d;
    uint8_t flag = before & ADIF & (uint8_t)~value;
    *d = (uint8_t)((value & ~(ADIF | ADSC)) | flag | (before & ADSC));
    if ((value & ADEN) == 0) {
        *d &= (uint8_t)~ADSC;
        event_set(m, EV_ADC, TAKT_NEVER);
    } else if ((before & ADEN) == 0) {
        m->mega->adc.first = true;
        m->mega->adc.clock0 = when + 1;
    }
    if ((value & (ADEN | ADSC)) == (ADEN | ADSC) && (before & ADSC) == 0)
        start(m, when + 1);
    if ((value & ADATE) != 0 && (m->mega->d[R_ADCSRB] & 7) != 0)
        report_note(m, "the ADC is to be started by a device: not modelled");
    bus_attention(m);
}

static void keep(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits, uint64_t when)
{
    (void)when;
    reg_keep(m, reg, value, bits);
}

/* From reading ADCL until ADCH the result stays. */
static uint8_t read_result(struct takt_machine *m, uint32_t reg, uint64_t when)
{
    (void)when;
    struct adc *a = &m->mega->adc;
    uint16_t value = (m->mega->d[R_ADMUX] & ADLAR) != 0 ? (uint16_t)(a->result << 6) : a->result;
    a->locked = reg == R_ADCL;
    return (uint8_t)(reg == R_ADCL ? value : value >> 8);
}

void adc_reset(struct takt_machine *m)
{
    struct adc *a = &m->mega->adc;
    a->first = a->locked = a->sampled = false;
    a->result = 0;
}

void adc_define(struct takt_machine *m)
{
    const struct mega_chip *chip = m->mega->chip;
    m->mega->adc.microvolts[chip->temperature & 15] = 314000; /* 25 degrees */
    reg_define(m, R_ADCL, read_result, NULL, 0);
    reg_define(m, R_ADCH, read_result, NULL, 0);
    reg_define(m, R_ADCSRA, NULL, write_control, 0xff);
    reg_define(m, R_ADCSRB, NULL, keep, 7);
    reg_define(m, R_ADMUX, NULL, keep, (uint8_t)(0xe0 | chip->mux_bits));
}
