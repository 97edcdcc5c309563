/*
 * Interrupts of pins by the names of the pico's SDK: one function for all pins, on the events that
 * are set for each.
 */
#include <hardware/gpio.h>
#include <takt/gpio.h>
#include <takt/port.h>

static gpio_irq_callback_t called;
static uint8_t wanted[NUM_BANK0_GPIOS];

static void tell(uint8_t pin, unsigned events, takt_time_t at, void *arg)
{
    (void)at, (void)arg;
    if (called != NULL)
        called(pin, events);
}

void gpio_set_irq_callback(gpio_irq_callback_t callback)
{
    called = callback;
}

void gpio_set_irq_enabled(uint gpio, uint32_t events, bool enabled)
{
    if (gpio >= NUM_BANK0_GPIOS)
        return;
    port_irq_t irq = port_irq_save();
    uint32_t now = enabled ? wanted[gpio] | events : wanted[gpio] & ~events;
    wanted[gpio] = (uint8_t)now;
    if (now != 0)
        (void)takt_gpio_on_edge((uint8_t)gpio, now, tell, NULL);
    else
        (void)takt_gpio_off_edge((uint8_t)gpio);
    port_irq_restore(irq);
}

void gpio_set_irq_enabled_with_callback(uint gpio, uint32_t events, bool enabled,
                                        gpio_irq_callback_t callback)
{
    gpio_set_irq_callback(callback);
    gpio_set_irq_enabled(gpio, events, enabled);
}
