/*
 * ADC: 12 bits of 3.3 V or fewer, calibration, sequences started by software, once or for ever.
 * Its clock is HSI14, which it starts by itself, or a part of PCLK. Inputs are ideal.
 */
#include "stm32f0.h"

#define REFERENCE_UV 3300000
#define CHANNELS     19u
#define CALIBRATION  83u /* clocks */
#define STABLE       14u

enum { ISR_READY = 1, ISR_SAMPLED = 2, ISR_DONE = 4, ISR_SEQUENCE = 8, ISR_OVERRUN = 16 };
enum { CR_ENABLE = 1, CR_DISABLE = 2, CR_START = 4, CR_STOP = 16 };
#define CR_CALIBRATE (1u << 31)
enum { CFGR1_BACKWARD = 4, CFGR1_LEFT = 0x20, CFGR1_OVERWRITE = 0x1000, CFGR1_CONTINUOUS = 0x2000 };
enum { CFGR1_WAIT = 0x4000, CFGR1_MODELLED = 0x703c };

/* 27 degrees, the internal reference, half of 3.3 V. */
void f0_adc_power_on(struct takt_machine *m)
{
    m->f0->adc.microvolts[16] = 1442900;
    m->f0->adc.microvolts[17] = 1230000;
    m->f0->adc.microvolts[18] = REFERENCE_UV / 2;
}

void f0_adc_set(struct takt_machine *m, uint32_t channel, int64_t microvolts)
{
    m->f0->adc.microvolts[channel] = microvolts;
}

static void update_irq(struct takt_machine *m)
{
    irq_line(m, IRQ_ADC, (m->f0->adc.isr & m->f0->adc.ier) != 0);
}

static uint32_t clock_hz(struct takt_machine *m)
{
    uint32_t mode = m->f0->adc.cfgr2 >> 30;
    if (mode != 0)
        return m->f0->rcc.pclk_hz / (mode == 1 ? 2 : 4);
    bool stopped = (m->f0->rcc.cr2 & 4) != 0 && rcc_hsi14(m) == 0;
    if (stopped)
        report_note(m, "ADC without clock: HSI14 is off, and forbidden to start by itself");
    return stopped ? 0 : 14000000;
}

/* After so many half clocks. */
static void after(struct takt_machine *m, uint32_t halves, uint64_t when)
{
    uint64_t hz = clock_hz(m);
    event_set(m, EV_ADC,
              hz != 0 ? when + (halves * (uint64_t)chip_hz(m) + 2 * hz - 1) / (2 * hz)
                      : TAKT_NEVER);
}

/* Sampling (n + 0.5 clocks) and the bits. */
static uint32_t conversion_halves(const struct adc *a)
{
    static const uint16_t sampling[8] = {3, 15, 27, 57, 83, 111, 143, 479};
    static const uint8_t bits[4] = {25, 23, 19, 15};
    return sampling[a->smpr & 7] + bits[a->cfgr1 >> 3 & 3];
}

static uint32_t next_channel(const struct adc *a)
{
    if ((a->cfgr1 & CFGR1_BACKWARD) != 0)
        return 31 - (uint32_t)__builtin_clz(a->left);
    return (uint32_t)__builtin_ctz(a->left);
}

static void check_pin(struct takt_machine *m, uint32_t channel)
{
    uint32_t pin = channel < 8 ? channel : channel < 10 ? 8 + channel : 22 + channel;
    bool analog = channel >= 16 || (m->f0->bank[pin / 32].analog >> pin % 32 & 1) != 0;
    if (!analog)
        report_note(m, "ADC input whose pin is not in analog mode");
}

static uint32_t sample(struct takt_machine *m, uint32_t channel)
{
    const struct adc *a = &m->f0->adc;
    bool connected = channel < 16 || (a->ccr >> (channel == 16 ? 23 : channel == 17 ? 22 : 24) & 1);
    int64_t value = connected ? a->microvolts[channel] * 4096 / REFERENCE_UV : 0;
    uint32_t drop = 2 * (a->cfgr1 >> 3 & 3), code;
    check_pin(m, channel);
    code = value < 0 ? 0 : value > 4095 ? 4095 : (uint32_t)value;
    code >>= drop;
    if ((a->cfgr1 & CFGR1_LEFT) != 0)
        code <<= drop == 6 ? 2 : 4 + drop;
    return code;
}

static void start(struct takt_machine *m, uint64_t when)
{
    struct adc *a = &m->f0->adc;
    a->left = a->left != 0 ? a->left : a->chselr;
    if (a->left == 0) {
        a->cr &= ~(uint32_t)CR_START;
        return;
    }
    a->converting = true;
    after(m, conversion_halves(a), when);
}

static void converted(struct takt_machine *m, uint64_t when)
{
    struct adc *a = &m->f0->adc;
    uint32_t channel = next_channel(a), value = sample(m, channel);
    bool overrun = (a->isr & ISR_DONE) != 0;
    a->converting = false;
    a->left &= ~(1u << channel);
    a->isr |= ISR_SAMPLED | ISR_DONE | (overrun ? (uint32_t)ISR_OVERRUN : 0);
    if (!overrun || (a->cfgr1 & CFGR1_OVERWRITE) != 0)
        a->dr = value;
    if (a->left == 0) {
        a->isr |= ISR_SEQUENCE;
        if ((a->cfgr1 & CFGR1_CONTINUOUS) == 0)
            a->cr &= ~(uint32_t)CR_START;
    }
    if ((a->cr & CR_START) != 0 && (a->cfgr1 & CFGR1_WAIT) == 0)
        start(m, when);
}

void f0_adc_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    struct adc *a = &m->f0->adc;
    (void)id;
    if (a->calibrating) {
        a->calibrating = false;
        a->cr &= ~CR_CALIBRATE;
        a->dr = 0x40;
    } else if (a->converting) {
        converted(m, when);
    } else if ((a->cr & CR_ENABLE) != 0) {
        a->ready = true;
        a->isr |= ISR_READY;
    }
    update_irq(m);
}

static void adc_reset(struct takt_machine *m)
{
    struct adc *a = &m->f0->adc, fresh = {.tr = 0x0fff0000};
    for (unsigned k = 0; k < CHANNELS; k++)
        fresh.microvolts[k] = a->microvolts[k];
    *a = fresh;
    event_set(m, EV_ADC, TAKT_NEVER);
    update_irq(m);
}

/* With WAIT the next conversion begins when the data are read. */
static uint32_t read_data(struct takt_machine *m)
{
    struct adc *a = &m->f0->adc;
    bool waited = (a->isr & ISR_DONE) != 0 && (a->cfgr1 & CFGR1_WAIT) != 0;
    a->isr &= ~(uint32_t)ISR_DONE;
    if (waited && (a->cr & CR_START) != 0 && !a->converting)
        start(m, m->now);
    update_irq(m);
    return a->dr;
}

static uint32_t adc_read(struct takt_machine *m, uint32_t offset)
{
    const struct adc *a = &m->f0->adc;
    switch (offset) {
    case 0x00:
        return a->isr;
    case 0x04:
        return a->ier;
    case 0x08:
        return a->cr;
    case 0x0c:
        return a->cfgr1;
    case 0x10:
        return a->cfgr2;
    case 0x14:
        return a->smpr;
    case 0x20:
        return a->tr;
    case 0x28:
        return a->chselr;
    case 0x40:
        return read_data(m);
    case 0x308:
        return a->ccr;
    }
    report_device(m, "ADC", f0_adc_device.base, offset, false, 0);
    return 0;
}

static void stop(struct takt_machine *m, bool disable)
{
    struct adc *a = &m->f0->adc;
    a->cr &= ~(uint32_t)(CR_START | (disable ? CR_ENABLE : 0));
    a->converting = false;
    a->left = 0;
    a->ready = a->ready && !disable;
    if (disable)
        a->isr &= ~(uint32_t)ISR_READY;
    event_set(m, EV_ADC, TAKT_NEVER);
}

static void calibrate(struct takt_machine *m)
{
    struct adc *a = &m->f0->adc;
    if ((a->cr & CR_ENABLE) != 0) {
        report_note(m, "ADC calibration while enabled: without effect");
        return;
    }
    a->calibrating = true;
    a->cr |= CR_CALIBRATE;
    after(m, 2 * CALIBRATION, m->now);
}

static void enable(struct takt_machine *m)
{
    m->f0->adc.cr |= CR_ENABLE;
    after(m, 2 * STABLE, m->now);
}

static void begin(struct takt_machine *m)
{
    struct adc *a = &m->f0->adc;
    if (!a->ready) {
        report_note(m, "ADC started while not ready: without effect");
        return;
    }
    a->cr |= CR_START;
    start(m, m->now);
}

static void write_control(struct takt_machine *m, uint32_t value)
{
    struct adc *a = &m->f0->adc;
    if (a->calibrating) {
        report_note(m, "ADC control written while calibrating: without effect");
        return;
    }
    if ((value & CR_CALIBRATE) != 0)
        calibrate(m);
    else if ((value & (CR_DISABLE | CR_STOP)) != 0)
        stop(m, (value & CR_DISABLE) != 0);
    else if ((value & ~a->cr & CR_ENABLE) != 0)
        enable(m);
    else if ((value & ~a->cr & CR_START) != 0)
        begin(m);
}

static void write_setting(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct adc *a = &m->f0->adc;
    if (offset == 0x0c)
        a->cfgr1 = value;
    else if (offset == 0x10)
        a->cfgr2 = value & 0xc0000000u;
    else if (offset == 0x14)
        a->smpr = value & 7;
    else if (offset == 0x28)
        a->chselr = value & 0x7ffff;
    else if (offset == 0x308)
        a->ccr = value & 0x01c00000;
    else /* analog watchdog, and what is not there */
        report_device(m, "ADC", f0_adc_device.base, offset, true, value);
    if (offset == 0x0c && (value & ~(uint32_t)CFGR1_MODELLED) != 0)
        report_device(m, "ADC (DMA, triggers, watchdog, discontinuous, auto-off)",
                      f0_adc_device.base, offset, true, value);
}

static void adc_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct adc *a = &m->f0->adc;
    if (offset == 0x00)
        a->isr &= ~value;
    else if (offset == 0x04)
        a->ier = value & 0x9f;
    else if (offset == 0x08)
        write_control(m, value);
    else
        write_setting(m, offset, value);
    update_irq(m);
}

const struct device f0_adc_device = {"ADC", 0x40012400, ON_APB2, 9, adc_read, adc_write, adc_reset};
