/*
 * Pins: as pinMode() and digitalWrite() they touch the pin's own registers and bits only, by single
 * accesses, so loops with different pins do not disturb each other.
 */
#ifndef TAKT_HARDWARE_GPIO_H
#define TAKT_HARDWARE_GPIO_H

#include <hardware/address_mapped.h>
#include <hardware/structs/sio.h>

#define NUM_BANK0_GPIOS 30u

#define GPIO_OUT 1
#define GPIO_IN  0

enum gpio_function {
    GPIO_FUNC_XIP = 0,
    GPIO_FUNC_SPI = 1,
    GPIO_FUNC_UART = 2,
    GPIO_FUNC_I2C = 3,
    GPIO_FUNC_PWM = 4,
    GPIO_FUNC_SIO = 5,
    GPIO_FUNC_PIO0 = 6,
    GPIO_FUNC_PIO1 = 7,
    GPIO_FUNC_GPCK = 8,
    GPIO_FUNC_USB = 9,
    GPIO_FUNC_NULL = 31,
};
typedef enum gpio_function gpio_function_t;

enum gpio_override {
    GPIO_OVERRIDE_NORMAL = 0,
    GPIO_OVERRIDE_INVERT = 1,
    GPIO_OVERRIDE_LOW = 2,
    GPIO_OVERRIDE_HIGH = 3,
};

enum gpio_irq_level {
    GPIO_IRQ_LEVEL_LOW = 1,
    GPIO_IRQ_LEVEL_HIGH = 2,
    GPIO_IRQ_EDGE_FALL = 4,
    GPIO_IRQ_EDGE_RISE = 8,
};

typedef void (*gpio_irq_callback_t)(uint gpio, uint32_t events);

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Interrupts of pins (drivers/gpio/rp2040_callback.c): one function for all, called in the
 * interrupt as a handler of attachInterruptIsr() is, and counted in the proof as its. A pin has
 * this or attachInterrupt(). A level interrupts for as long as it lasts. Either context.
 */
void gpio_set_irq_callback(gpio_irq_callback_t callback);
void gpio_set_irq_enabled(uint gpio, uint32_t events, bool enabled);
void gpio_set_irq_enabled_with_callback(uint gpio, uint32_t events, bool enabled,
                                        gpio_irq_callback_t callback);

#ifdef __cplusplus
}
#endif

enum gpio_slew_rate { GPIO_SLEW_RATE_SLOW = 0, GPIO_SLEW_RATE_FAST = 1 };

enum gpio_drive_strength {
    GPIO_DRIVE_STRENGTH_2MA = 0,
    GPIO_DRIVE_STRENGTH_4MA = 1,
    GPIO_DRIVE_STRENGTH_8MA = 2,
    GPIO_DRIVE_STRENGTH_12MA = 3,
};

/* The pin's registers in IO_BANK0 and PADS_BANK0 (2.19.6). */
static inline io_rw_32 *takt_pin_ctrl_(uint gpio)
{
    return (io_rw_32 *)0x40014004u + 2u * gpio;
}

static inline io_rw_32 *takt_pin_pad_(uint gpio)
{
    return (io_rw_32 *)0x4001C004u + gpio;
}

#define TAKT_PAD_FAST      (1u << 0)
#define TAKT_PAD_SCHMITT   (1u << 1)
#define TAKT_PAD_DOWN      (1u << 2)
#define TAKT_PAD_UP        (1u << 3)
#define TAKT_PAD_DRIVE     (3u << 4)
#define TAKT_PAD_INPUT     (1u << 6)
#define TAKT_PAD_NO_OUTPUT (1u << 7)

static inline void gpio_set_function(uint gpio, gpio_function_t function)
{
    hw_write_masked(takt_pin_pad_(gpio), TAKT_PAD_INPUT, TAKT_PAD_INPUT | TAKT_PAD_NO_OUTPUT);
    *takt_pin_ctrl_(gpio) = (uint32_t)function; /* overrides end, too */
}

static inline gpio_function_t gpio_get_function(uint gpio)
{
    return (gpio_function_t)(*takt_pin_ctrl_(gpio) & 31u);
}

static inline void gpio_put_masked(uint32_t mask, uint32_t value)
{
    sio_hw->gpio_togl = (sio_hw->gpio_out ^ value) & mask;
}

static inline void gpio_set_mask(uint32_t mask)
{
    sio_hw->gpio_set = mask;
}

static inline void gpio_clr_mask(uint32_t mask)
{
    sio_hw->gpio_clr = mask;
}

static inline void gpio_xor_mask(uint32_t mask)
{
    sio_hw->gpio_togl = mask;
}

static inline void gpio_put(uint gpio, bool value)
{
    if (value)
        gpio_set_mask(1u << gpio);
    else
        gpio_clr_mask(1u << gpio);
}

static inline bool gpio_get(uint gpio)
{
    return (sio_hw->gpio_in >> gpio & 1u) != 0;
}

static inline uint32_t gpio_get_all(void)
{
    return sio_hw->gpio_in;
}

static inline bool gpio_get_out_level(uint gpio)
{
    return (sio_hw->gpio_out >> gpio & 1u) != 0;
}

static inline void gpio_set_dir_out_masked(uint32_t mask)
{
    sio_hw->gpio_oe_set = mask;
}

static inline void gpio_set_dir_in_masked(uint32_t mask)
{
    sio_hw->gpio_oe_clr = mask;
}

static inline void gpio_set_dir(uint gpio, bool out)
{
    if (out)
        gpio_set_dir_out_masked(1u << gpio);
    else
        gpio_set_dir_in_masked(1u << gpio);
}

static inline bool gpio_get_dir(uint gpio)
{
    return (sio_hw->gpio_oe >> gpio & 1u) != 0;
}

/* An input without a level of its own, under the CPU. */
static inline void gpio_init(uint gpio)
{
    gpio_set_dir(gpio, GPIO_IN);
    gpio_put(gpio, 0);
    gpio_set_function(gpio, GPIO_FUNC_SIO);
}

static inline void gpio_deinit(uint gpio)
{
    gpio_set_function(gpio, GPIO_FUNC_NULL);
}

static inline void gpio_set_pulls(uint gpio, bool up, bool down)
{
    hw_write_masked(takt_pin_pad_(gpio), (up ? TAKT_PAD_UP : 0u) | (down ? TAKT_PAD_DOWN : 0u),
                    TAKT_PAD_UP | TAKT_PAD_DOWN);
}

static inline void gpio_pull_up(uint gpio)
{
    gpio_set_pulls(gpio, true, false);
}

static inline void gpio_pull_down(uint gpio)
{
    gpio_set_pulls(gpio, false, true);
}

static inline void gpio_disable_pulls(uint gpio)
{
    gpio_set_pulls(gpio, false, false);
}

static inline bool gpio_is_pulled_up(uint gpio)
{
    return (*takt_pin_pad_(gpio) & TAKT_PAD_UP) != 0;
}

static inline bool gpio_is_pulled_down(uint gpio)
{
    return (*takt_pin_pad_(gpio) & TAKT_PAD_DOWN) != 0;
}

static inline void gpio_set_input_enabled(uint gpio, bool enabled)
{
    hw_write_masked(takt_pin_pad_(gpio), enabled ? TAKT_PAD_INPUT : 0u, TAKT_PAD_INPUT);
}

static inline void gpio_set_input_hysteresis_enabled(uint gpio, bool enabled)
{
    hw_write_masked(takt_pin_pad_(gpio), enabled ? TAKT_PAD_SCHMITT : 0u, TAKT_PAD_SCHMITT);
}

static inline bool gpio_is_input_hysteresis_enabled(uint gpio)
{
    return (*takt_pin_pad_(gpio) & TAKT_PAD_SCHMITT) != 0;
}

static inline void gpio_set_slew_rate(uint gpio, enum gpio_slew_rate slew)
{
    hw_write_masked(takt_pin_pad_(gpio), (uint32_t)slew, TAKT_PAD_FAST);
}

static inline enum gpio_slew_rate gpio_get_slew_rate(uint gpio)
{
    return (enum gpio_slew_rate)(*takt_pin_pad_(gpio) & TAKT_PAD_FAST);
}

static inline void gpio_set_drive_strength(uint gpio, enum gpio_drive_strength drive)
{
    hw_write_masked(takt_pin_pad_(gpio), (uint32_t)drive << 4, TAKT_PAD_DRIVE);
}

static inline enum gpio_drive_strength gpio_get_drive_strength(uint gpio)
{
    return (enum gpio_drive_strength)((*takt_pin_pad_(gpio) & TAKT_PAD_DRIVE) >> 4);
}

static inline void gpio_set_outover(uint gpio, uint value)
{
    hw_write_masked(takt_pin_ctrl_(gpio), value << 8, 3u << 8);
}

static inline void gpio_set_oeover(uint gpio, uint value)
{
    hw_write_masked(takt_pin_ctrl_(gpio), value << 12, 3u << 12);
}

static inline void gpio_set_inover(uint gpio, uint value)
{
    hw_write_masked(takt_pin_ctrl_(gpio), value << 16, 3u << 16);
}

#endif
