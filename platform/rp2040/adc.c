/*
 * ADC: 12 bits of 3.3 V, 96 cycles of clk_adc per conversion, one-shot or free-running with the
 * divider, round robin, a FIFO of four. Inputs are ideal; the temperature sensor says 27 degrees.
 */
#include "rp2040.h"

#define REFERENCE_UV   3300000
#define TEMPERATURE_UV 706000
#define CONVERSION     96u
#define FIFO_DEPTH     4u

enum { CS_EN = 1, CS_TS_EN = 2, CS_ONCE = 4, CS_MANY = 8, CS_STICKY = 1 << 10 };
enum { FCS_EN = 1, FCS_SHIFT = 2, FCS_ERR = 4, FCS_DREQ = 8 };
enum { FCS_UNDER = 1 << 10, FCS_OVER = 1 << 11 };

void adc_power_on(struct takt_machine *m)
{
    m->soc->adc.microvolts[4] = TEMPERATURE_UV;
}

void adc_set(struct takt_machine *m, uint32_t channel, int64_t microvolts)
{
    m->soc->adc.microvolts[channel] = microvolts;
}

static uint32_t sample(const struct adc *a)
{
    uint32_t input = a->cs >> 12 & 7;
    if (input > 4 || (input == 4 && (a->cs & CS_TS_EN) == 0))
        return 0;
    int64_t value = a->microvolts[input] * 4096 / REFERENCE_UV;
    return value < 0 ? 0 : value > 4095 ? 4095 : (uint32_t)value;
}

static void update_irq(struct takt_machine *m)
{
    const struct adc *a = &m->soc->adc;
    bool raw = (a->fcs & FCS_EN) != 0 && a->fifo_count >= (a->fcs >> 24 & 15);
    irq_line(m, IRQ_ADC, (raw && (a->inte & 1) != 0) || (a->intf & a->inte & 1) != 0);
    dma_look(m);
}

bool adc_requests(const struct takt_machine *m)
{
    const struct adc *a = &m->soc->adc;
    uint32_t on = FCS_EN | FCS_DREQ;
    return (a->fcs & on) == on && a->fifo_count > 0 && a->fifo_count >= (a->fcs >> 24 & 15);
}

static void start(struct takt_machine *m, uint64_t when, uint32_t adc_cycles)
{
    struct adc *a = &m->soc->adc;
    if ((a->cs & CS_EN) == 0 || a->busy)
        return;
    if (m->soc->clocks.adc_hz == 0) {
        report_note(m, "ADC conversion started without clk_adc: never ready");
        a->busy = true;
        return;
    }
    uint64_t hz = m->soc->clocks.adc_hz;
    a->busy = true;
    event_set(m, EV_ADC, when + ((uint64_t)adc_cycles * chip_hz(m) + hz - 1) / hz);
}

static void push(struct adc *a, uint32_t value)
{
    if ((a->fcs & FCS_EN) == 0)
        return;
    if (a->fifo_count == FIFO_DEPTH)
        a->fcs |= FCS_OVER;
    else
        a->fifo[a->fifo_count++] = (a->fcs & FCS_SHIFT) != 0 ? value >> 4 : value;
}

static void next_input(struct adc *a)
{
    uint32_t robin = a->cs >> 16 & 31, input = a->cs >> 12 & 7;
    if (robin == 0)
        return;
    do {
        input = (input + 1) % 5;
    } while ((robin >> input & 1) == 0);
    a->cs = (a->cs & ~0x7000u) | input << 12;
}

void adc_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    struct adc *a = &m->soc->adc;
    (void)id;
    a->busy = false;
    a->result = sample(a);
    push(a, a->result);
    next_input(a);
    update_irq(m);
    uint32_t interval = (a->div >> 8) + 1;
    if ((a->cs & CS_MANY) != 0)
        start(m, when, interval > CONVERSION ? interval : CONVERSION);
}

static void adc_reset(struct takt_machine *m)
{
    struct adc *a = &m->soc->adc, fresh = {0};
    for (unsigned k = 0; k < 5; k++)
        fresh.microvolts[k] = a->microvolts[k];
    *a = fresh;
    event_set(m, EV_ADC, TAKT_NEVER);
    update_irq(m);
}

static uint32_t pop(struct takt_machine *m)
{
    struct adc *a = &m->soc->adc;
    if (a->fifo_count == 0) {
        a->fcs |= FCS_UNDER;
        return 0;
    }
    uint32_t value = a->fifo[0];
    a->fifo_count--;
    for (uint32_t k = 0; k < a->fifo_count; k++)
        a->fifo[k] = a->fifo[k + 1];
    update_irq(m);
    return value;
}

static uint32_t adc_read(struct takt_machine *m, uint32_t offset)
{
    struct adc *a = &m->soc->adc;
    bool pending = (a->fcs & FCS_EN) != 0 && a->fifo_count >= (a->fcs >> 24 & 15);
    switch (offset) {
    case 0x00:
        return a->cs | (uint32_t)((a->cs & CS_EN) != 0 && !a->busy) << 8;
    case 0x04:
        return a->result;
    case 0x08:
        return a->fcs | (uint32_t)(a->fifo_count == 0) << 8 |
               (uint32_t)(a->fifo_count == FIFO_DEPTH) << 9 | a->fifo_count << 16;
    case 0x0c:
        return pop(m);
    case 0x10:
        return a->div;
    case 0x14:
        return pending;
    case 0x18:
        return a->inte;
    case 0x1c:
        return a->intf;
    case 0x20:
        return (pending | a->intf) & a->inte;
    }
    report_access(m, "ADC", 0x4004c000u + offset, offset, false, 0);
    return 0;
}

static void write_control(struct takt_machine *m, uint32_t value)
{
    struct adc *a = &m->soc->adc;
    a->cs = (value & 0x1f700bu) | (a->cs & ~value & CS_STICKY);
    if ((value & (CS_ONCE | CS_MANY)) != 0)
        start(m, m->now, CONVERSION);
}

static void adc_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct adc *a = &m->soc->adc;
    if (offset == 0x00)
        write_control(m, value);
    else if (offset == 0x08)
        a->fcs = (value & 0x0f00000fu) | (a->fcs & ~value & (FCS_UNDER | FCS_OVER));
    else if (offset == 0x10)
        a->div = value & 0xffffff;
    else if (offset == 0x18)
        a->inte = value & 1;
    else if (offset == 0x1c)
        a->intf = value & 1;
    else
        report_access(m, "ADC", 0x4004c000u + offset, offset, true, value);
    update_irq(m);
}

const struct device adc_device = {"ADC", 0x4004c000, 0, adc_read, adc_write, adc_reset};
