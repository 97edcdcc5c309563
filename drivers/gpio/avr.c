/*
 * GPIO of an ATmega (ATmega328P data sheet 14). The bit that makes an output high is the pull-up of
 * an input, so what is written to an input switches that, as sketches for AVR expect.
 */
#include <takt/gpio.h>
#include <takt/port.h>

#include "../avr/avr_pins.h"

uint8_t takt_pwm_bits[AVR_PIN_PORTS];

__attribute__((weak)) void avr_pwm_release(uint8_t pin)
{
    (void)pin;
}

void takt_pwm_release(uint8_t pin)
{
    port_irq_t irq = port_irq_save();
    avr_pwm_release(pin);
    port_irq_restore(irq);
}

int takt_gpio_mode(uint8_t pin, enum takt_gpio_mode mode)
{
    if (!avr_pin_exists(pin) || mode > TAKT_GPIO_INPUT_PULLUP)
        return TAKT_EINVAL;
    uint8_t code = avr_pin(pin), bit = avr_bit(code);
    volatile uint8_t *port = avr_port(code);
    port_irq_t irq = port_irq_save();
    if (avr_has_pwm(code, bit))
        avr_pwm_release(pin);
    avr_put(&port[AVR_DIR], bit, mode == TAKT_GPIO_OUTPUT);
    if (mode != TAKT_GPIO_OUTPUT)
        avr_put(&port[AVR_OUT], bit, mode == TAKT_GPIO_INPUT_PULLUP);
    port_irq_restore(irq);
    return TAKT_OK;
}

int takt_gpio_write(uint8_t pin, bool high)
{
    if (!avr_pin_exists(pin))
        return TAKT_EINVAL;
    uint8_t code = avr_pin(pin), bit = avr_bit(code);
    port_irq_t irq = port_irq_save();
    avr_put(&avr_port(code)[AVR_OUT], bit, high);
    port_irq_restore(irq);
    return TAKT_OK;
}

int takt_gpio_read(uint8_t pin)
{
    if (!avr_pin_exists(pin))
        return TAKT_EINVAL;
    uint8_t code = avr_pin(pin);
    return (avr_port(code)[AVR_IN] & avr_bit(code)) != 0;
}
