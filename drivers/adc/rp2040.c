/*
 * ADC of the RP2040 (data sheet 4.9): one converter, 96 cycles of 48 MHz a conversion. Two
 * microseconds are less than blocking would cost, so the result is awaited by polling, under a
 * mutex because channel selection, start and result belong together.
 */
#include <takt/adc.h>
#include <takt/mutex.h>
#include <takt/port.h>
#include <takt/fact.h>

#include "../rp2040/rp2040.h"

enum {
    FIRST_PIN = 26,
    CHANNELS = 4,
    CS_ENABLE = 1u << 0,
    CS_START = 1u << 2,
    CS_READY = 1u << 8,
    CS_CHANNEL_SHIFT = 12,
};

static void await_ready(void)
{
    while (!(RP2040_ADC->cs & CS_READY)) {
    }
}

static void power_up(void)
{
    rp2040_release(RP2040_RESET_ADC);
    if (RP2040_ADC->cs & CS_ENABLE)
        return;
    RP2040_ADC->cs = CS_ENABLE;
    await_ready();
}

/* Cuts the digital input and output off the pad, so that only the converter loads it. */
static void pin_analog(uint8_t pin)
{
    rp2040_pin_function(pin, RP2040_FUNCTION_NONE);
    RP2040_PADS_BANK0->pad[pin] = RP2040_PAD_NO_OUTPUT;
}

#define LONGEST_US 20 /* a conversion, and what the first one needs before */

int takt_adc_read(uint8_t pin)
{
    TAKT_FACT("takes 20");
    static struct takt_mutex converter = TAKT_MUTEX_COMPUTED(LONGEST_US);
    uint32_t channel = (uint32_t)pin - FIRST_PIN;
    if (channel >= CHANNELS)
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;

    (void)takt_mutex_lock(&converter); /* refused in main, where no thread runs */
    power_up();
    pin_analog(pin);
    RP2040_ADC->cs = CS_ENABLE | CS_START | channel << CS_CHANNEL_SHIFT;
    await_ready();
    int value = (int)(RP2040_ADC->result & 0xFFFu);
    (void)takt_mutex_unlock(&converter);
    return value;
}
