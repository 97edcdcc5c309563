/*
 * GPIO of an LM3S (data sheet 8). The pins that JTAG uses are not among the board's.
 */
#include <takt/gpio.h>
#include <takt/port.h>

#include "../lm3s/lm3s.h"

#define PIN(port, bit) (uint8_t)(((port) - 'A') << 3 | (bit))

static const uint8_t pins[] = {
    PIN('A', 0), PIN('A', 1), PIN('A', 2), PIN('A', 3), PIN('A', 4), PIN('A', 5), PIN('A', 6),
    PIN('A', 7), PIN('B', 0), PIN('B', 1), PIN('B', 2), PIN('B', 3), PIN('B', 4), PIN('B', 5),
    PIN('B', 6), PIN('C', 4), PIN('C', 5), PIN('C', 6), PIN('C', 7), PIN('D', 0), PIN('D', 1),
    PIN('D', 2), PIN('D', 3), PIN('D', 4), PIN('D', 5), PIN('D', 6), PIN('D', 7), PIN('E', 0),
    PIN('E', 1), PIN('E', 2), PIN('E', 3), PIN('F', 0), PIN('F', 1), PIN('F', 2), PIN('F', 3),
    PIN('G', 0), PIN('G', 1),
};

static struct lm3s_gpio *port_of(uint8_t pin)
{
    uint32_t port = pins[pin] >> 3;
    return (struct lm3s_gpio *)(port < 4 ? 0x40004000u + 0x1000u * port
                                         : 0x40020000u + 0x1000u * port);
}

static uint32_t bit_of(uint8_t pin)
{
    return 1u << (pins[pin] & 7u);
}

static void change(lm3s_reg *reg, uint32_t bit, bool on)
{
    *reg = on ? *reg | bit : *reg & ~bit;
}

void lm3s_pin_function(uint8_t pin)
{
    port_irq_t irq = port_irq_save();
    change(&port_of(pin)->afsel, bit_of(pin), true);
    change(&port_of(pin)->den, bit_of(pin), true);
    port_irq_restore(irq);
}

int takt_gpio_mode(uint8_t pin, enum takt_gpio_mode mode)
{
    if (pin >= sizeof pins || (unsigned)mode > TAKT_GPIO_INPUT_PULLDOWN)
        return TAKT_EINVAL;
    struct lm3s_gpio *port = port_of(pin);
    uint32_t bit = bit_of(pin);
    port_irq_t irq = port_irq_save();
    change(&port->afsel, bit, false);
    change(&port->pur, bit, mode == TAKT_GPIO_INPUT_PULLUP);
    change(&port->pdr, bit, mode == TAKT_GPIO_INPUT_PULLDOWN);
    change(&port->dir, bit, mode == TAKT_GPIO_OUTPUT);
    change(&port->den, bit, true);
    port_irq_restore(irq);
    return TAKT_OK;
}

int takt_gpio_write(uint8_t pin, bool high)
{
    if (pin >= sizeof pins)
        return TAKT_EINVAL;
    port_of(pin)->data[bit_of(pin)] = high ? 0xFFu : 0u; /* no other pin takes notice */
    return TAKT_OK;
}

int takt_gpio_read(uint8_t pin)
{
    if (pin >= sizeof pins)
        return TAKT_EINVAL;
    return port_of(pin)->data[bit_of(pin)] != 0;
}
