/*
 * Pins of an MPS2 board: what its LEDs and buttons are connected to. 0 and 1: user LEDs; 2 to 9:
 * LEDs of the SCC; 10 and 11: buttons, low when pressed.
 */
#include <takt/gpio.h>
#include <takt/port.h>

#include "../cmsdk/cmsdk.h"

enum { SCC = 2, BUTTONS = 10, PINS = 12 };

int takt_gpio_mode(uint8_t pin, enum takt_gpio_mode mode)
{
    bool output = mode == TAKT_GPIO_OUTPUT;
    if (pin >= PINS || (unsigned)mode > TAKT_GPIO_INPUT_PULLDOWN || output != (pin < BUTTONS))
        return TAKT_EINVAL;
    return TAKT_OK;
}

int takt_gpio_write(uint8_t pin, bool high)
{
    if (pin >= BUTTONS)
        return TAKT_EINVAL;
    cmsdk_reg *leds = pin < SCC ? &MPS2_FPGAIO->led : &MPS2_SCC_LEDS;
    uint32_t bit = 1u << (pin < SCC ? pin : pin - SCC);
    port_irq_t irq = port_irq_save();
    *leds = high ? *leds | bit : *leds & ~bit;
    port_irq_restore(irq);
    return TAKT_OK;
}

int takt_gpio_read(uint8_t pin)
{
    if (pin >= PINS)
        return TAKT_EINVAL;
    if (pin >= BUTTONS)
        return !(MPS2_FPGAIO->button >> (pin - BUTTONS) & 1u);
    return (int)(pin < SCC ? MPS2_FPGAIO->led >> pin & 1u : MPS2_SCC_LEDS >> (pin - SCC) & 1u);
}
