/*
 * PWM of the RP2040 (data sheet 4.5): a counter per slice runs 0..top at clk_sys / divider; an
 * output is high while the counter is below its compare value, so compare = top + 1 is always
 * high. The divider has 8 whole and 4 fractional bits; the smallest that lets the period fit in 16
 * bits gives the finest steps.
 */
#include <gpio/chip_gpio.h>
#include <takt/pwm.h>

#include "../rp2040/rp2040.h"

#define STEPS_MAX 65535u /* top + 1, itself a possible compare value */
#define HZ_MIN    8u
#define HZ_MAX    (RP2040_SYS_HZ / 2u)

static struct rp2040_pwm_slice *slice_of(uint8_t pin)
{
    return &RP2040_PWM->slice[pin >> 1 & 7u];
}

/* Divider in 16ths so that a period has at most STEPS_MAX steps. */
static uint32_t divider16(uint32_t frequency_hz)
{
    uint32_t cycles = RP2040_SYS_HZ / frequency_hz;
    uint32_t div = (cycles * 16u + STEPS_MAX - 1u) / STEPS_MAX;
    return div < 16u ? 16u : div;
}

/* Sets the period of a slice, scaling its compare values so that duties stay. */
static uint32_t period_set(struct rp2040_pwm_slice *slice, uint32_t frequency_hz)
{
    uint32_t div = divider16(frequency_hz);
    uint32_t steps = (RP2040_SYS_HZ * 16u / div + frequency_hz / 2u) / frequency_hz;
    uint32_t before = slice->top + 1u;
    if (steps > STEPS_MAX)
        steps = STEPS_MAX;
    if (steps != before) {
        uint32_t cc = slice->cc;
        uint32_t a = (cc & 0xFFFFu) * steps / before, b = (cc >> 16) * steps / before;
        slice->top = steps - 1u;
        slice->cc = a | b << 16;
    }
    slice->div = div;
    return steps;
}

int chip_pwm_write(uint8_t pin, uint32_t frequency_hz, uint16_t duty)
{
    if (pin >= RP2040_PINS || frequency_hz < HZ_MIN || frequency_hz > HZ_MAX)
        return TAKT_EINVAL;

    struct rp2040_pwm_slice *slice = slice_of(pin);
    uint32_t steps = period_set(slice, frequency_hz);
    uint32_t high = (duty * steps + 32767u) / 65535u;
    uint32_t shift = (pin & 1u) * 16u;
    slice->cc = (slice->cc & ~(0xFFFFu << shift)) | high << shift;
    slice->csr = 1; /* on, free running */
    if ((RP2040_IO_BANK0->pin[pin].ctrl & 31u) != RP2040_FUNCTION_PWM) {
        (void)chip_gpio_mode(pin, TAKT_GPIO_OUTPUT);
        rp2040_pin_function(pin, RP2040_FUNCTION_PWM);
    }
    return TAKT_OK;
}

int chip_pwm_stop(uint8_t pin)
{
    return chip_gpio_mode(pin, TAKT_GPIO_OUTPUT);
}
