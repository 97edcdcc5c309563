/*
 * The chip's own pins; see drivers/gpio/chip_gpio.h. On this board most of the board's pins are not
 * among them.
 */
#ifndef TAKT_DRIVERS_CHIP_GPIO_H
#define TAKT_DRIVERS_CHIP_GPIO_H

#include <takt/gpio.h>

#include <galileo.h>

struct takt_io_vcpu;
struct takt_pin_event;

/* As takt_gpio_mode() and so on, with pins of the chip. */
int chip_gpio_mode(uint8_t pin, enum takt_gpio_mode mode);
int chip_gpio_write(uint8_t pin, bool high);
int chip_gpio_read(uint8_t pin);

int chip_pwm_write(uint8_t pin, uint32_t frequency_hz, uint16_t duty);
int chip_pwm_stop(uint8_t pin);

int chip_pin_events_on(uint8_t pin, unsigned edges, struct takt_io_vcpu *io, uint8_t place);
int chip_pin_events_off(uint8_t pin);
bool chip_pin_events_take(struct takt_pin_event *event);
void chip_pin_events_hold(uint8_t pin);
void chip_pin_events_release(uint8_t pin);

/* Pins 2 and 3 have the same numbers here and there; the others are not to be mixed up. */
static inline bool chip_pin_has_edges(uint8_t pin)
{
    return pin == GALILEO_INT || galileo_is_fast(pin);
}

/* Which pin of the expander it was is known after asking it. */
static inline uint8_t chip_pin_event_source(uint8_t pin)
{
    return pin == GALILEO_INT ? 0xFFu : pin;
}

#endif
