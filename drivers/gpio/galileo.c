/*
 * Pins of the galileo: each is one of the expander, and 2 and 3 are the chip's own instead after
 * pinMode(pin, INPUT_FAST or OUTPUT_FAST) and until the next other mode.
 *
 * What the expander has to be asked for takes a thread, which waits for the bus meanwhile;
 * elsewhere the functions for such pins return TAKT_ECONTEXT, which gpio.h does not have for the
 * chip's.
 */
#include <gpio/chip_gpio.h>
#include <takt/port.h>

#include "../bus/queue.h"
#include "galileo_expander.h"

#define FAST 4u /* of a mode, beside TAKT_GPIO_INPUT or TAKT_GPIO_OUTPUT */

struct cy8c9540a galileo_expander = CY8C9540A_INIT(GALILEO_I2C_BUS, GALILEO_EXPANDER, GALILEO_SDA,
                                                   GALILEO_SCL, GALILEO_I2C_HZ);

const struct galileo_pin galileo_pins[] = {
    {4, 6}, {4, 7}, {2, 0}, {0, 2}, {1, 4}, {0, 1}, {1, 0},
    {1, 3}, {1, 2}, {0, 3}, {0, 0}, {1, 1}, {3, 2}, {3, 3},
};

static volatile uint8_t fast; /* pins that are the chip's; each changed by its user only */

bool galileo_is_fast(uint8_t pin)
{
    return pin < 8 && (fast >> pin & 1u);
}

static void set_fast(uint8_t pin, bool on)
{
    port_irq_t irq = port_irq_save();
    fast = (uint8_t)((fast & ~(1u << pin)) | (unsigned)on << pin);
    port_irq_restore(irq);
}

bool galileo_may_wait(void)
{
    port_irq_t irq = port_irq_save();
    port_irq_restore(irq);
    return irq == 0 && bus_may_wait();
}

static int expander_mode(uint8_t pin, enum takt_gpio_mode mode)
{
    const struct galileo_pin *p = &galileo_pins[pin];
    return cy8c9540a_mode(&galileo_expander, p->port, p->bit, mode);
}

/* The pin works even when the expander does not answer. */
static int connect(uint8_t pin, enum takt_gpio_mode mode)
{
    if (!galileo_is_fast(pin)) {
        if (!galileo_may_wait())
            return TAKT_ECONTEXT;
        (void)expander_mode(pin, TAKT_GPIO_INPUT);
        set_fast(pin, true);
    }
    return chip_gpio_mode(pin, mode);
}

int takt_gpio_mode(uint8_t pin, enum takt_gpio_mode mode)
{
    enum takt_gpio_mode plain = (enum takt_gpio_mode)(mode & ~FAST);
    if (pin >= GALILEO_DIGITAL_PINS || plain > TAKT_GPIO_INPUT_PULLDOWN ||
        ((mode & FAST) && plain > TAKT_GPIO_OUTPUT))
        return TAKT_EINVAL;
    if ((mode & FAST) && (GALILEO_FAST_PINS >> pin & 1))
        return connect(pin, plain);
    if (!galileo_may_wait())
        return TAKT_ECONTEXT;
    if (galileo_is_fast(pin)) {
        (void)chip_gpio_mode(pin, TAKT_GPIO_INPUT);
        set_fast(pin, false);
    }
    return expander_mode(pin, plain);
}

int takt_gpio_write(uint8_t pin, bool high)
{
    if (galileo_is_fast(pin))
        return chip_gpio_write(pin, high);
    if (pin >= GALILEO_DIGITAL_PINS)
        return TAKT_EINVAL;
    if (!galileo_may_wait())
        return TAKT_ECONTEXT;
    return cy8c9540a_write(&galileo_expander, galileo_pins[pin].port, galileo_pins[pin].bit, high);
}

int takt_gpio_read(uint8_t pin)
{
    if (galileo_is_fast(pin))
        return chip_gpio_read(pin);
    if (pin >= GALILEO_DIGITAL_PINS)
        return TAKT_EINVAL;
    if (!galileo_may_wait())
        return TAKT_ECONTEXT;
    return cy8c9540a_read(&galileo_expander, galileo_pins[pin].port, galileo_pins[pin].bit);
}
