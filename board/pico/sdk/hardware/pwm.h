/*
 * PWM slices (RP2040 data sheet 4.5): pin n is channel n % 2 of slice n / 2 % 8. analogWrite(),
 * tone() and Servo use them, too: which slice is whose is up to the sketch.
 */
#ifndef TAKT_HARDWARE_PWM_H
#define TAKT_HARDWARE_PWM_H

#include <hardware/address_mapped.h>

#define NUM_PWM_SLICES 8u

enum pwm_chan { PWM_CHAN_A = 0, PWM_CHAN_B = 1 };

typedef struct {
    io_rw_32 csr, div, ctr, cc, top;
} pwm_slice_hw_t;

typedef struct {
    pwm_slice_hw_t slice[NUM_PWM_SLICES];
    io_rw_32 en, intr, inte, intf;
    io_ro_32 ints;
} pwm_hw_t;

#define pwm_hw ((pwm_hw_t *)0x40050000u)

typedef struct {
    uint32_t csr, div, top;
} pwm_config;

#define TAKT_PWM_ENABLE        (1u << 0)
#define TAKT_PWM_PHASE_CORRECT (1u << 1)

static inline uint pwm_gpio_to_slice_num(uint gpio)
{
    return gpio >> 1 & 7u;
}

static inline uint pwm_gpio_to_channel(uint gpio)
{
    return gpio & 1u;
}

/* Not divided, 65536 steps, stopped. */
static inline pwm_config pwm_get_default_config(void)
{
    pwm_config c = {0, 1u << 4, 0xFFFFu};
    return c;
}

static inline void pwm_config_set_wrap(pwm_config *c, uint16_t wrap)
{
    c->top = wrap;
}

static inline void pwm_config_set_clkdiv_int(pwm_config *c, uint div)
{
    c->div = div << 4;
}

static inline void pwm_config_set_clkdiv(pwm_config *c, float div)
{
    c->div = (uint32_t)(div * 16.0f);
}

static inline void pwm_config_set_phase_correct(pwm_config *c, bool on)
{
    c->csr = on ? c->csr | TAKT_PWM_PHASE_CORRECT : c->csr & ~TAKT_PWM_PHASE_CORRECT;
}

static inline void pwm_set_enabled(uint slice, bool enabled)
{
    hw_write_masked(&pwm_hw->slice[slice].csr, enabled, TAKT_PWM_ENABLE);
}

static inline void pwm_set_wrap(uint slice, uint16_t wrap)
{
    pwm_hw->slice[slice].top = wrap;
}

static inline void pwm_set_counter(uint slice, uint16_t count)
{
    pwm_hw->slice[slice].ctr = count;
}

static inline void pwm_set_clkdiv(uint slice, float div)
{
    pwm_hw->slice[slice].div = (uint32_t)(div * 16.0f);
}

static inline void pwm_set_chan_level(uint slice, uint channel, uint16_t level)
{
    uint shift = channel * 16u;
    hw_write_masked(&pwm_hw->slice[slice].cc, (uint32_t)level << shift, 0xFFFFu << shift);
}

static inline void pwm_set_gpio_level(uint gpio, uint16_t level)
{
    pwm_set_chan_level(pwm_gpio_to_slice_num(gpio), pwm_gpio_to_channel(gpio), level);
}

static inline void pwm_init(uint slice, const pwm_config *c, bool start)
{
    pwm_hw->slice[slice].csr = 0;
    pwm_set_counter(slice, 0);
    pwm_hw->slice[slice].cc = 0;
    pwm_set_wrap(slice, (uint16_t)c->top);
    pwm_hw->slice[slice].div = c->div;
    pwm_hw->slice[slice].csr = c->csr | (start ? TAKT_PWM_ENABLE : 0u);
}

/* A slice interrupts when its counter wraps, by PWM_IRQ_WRAP (hardware/irq.h), until that is
 * cleared. */

static inline void pwm_set_irq_mask_enabled(uint32_t slices, bool enabled)
{
    if (enabled)
        hw_set_bits(&pwm_hw->inte, slices);
    else
        hw_clear_bits(&pwm_hw->inte, slices);
}

static inline void pwm_set_irq_enabled(uint slice, bool enabled)
{
    pwm_set_irq_mask_enabled(1u << slice, enabled);
}

static inline void pwm_clear_irq(uint slice)
{
    pwm_hw->intr = 1u << slice;
}

static inline uint32_t pwm_get_irq_status_mask(void)
{
    return pwm_hw->ints;
}

#endif
