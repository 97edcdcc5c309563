/*
 * The chip's own pins, for drivers that mean them: of an I2C bus, of a chip select.
 *
 * Here the board's pins are the chip's, so one name is as good as the other. A board whose pins are
 * elsewhere has a gpio/chip_gpio.h of its own, earlier in the include path, in which they are
 * functions of their own.
 */
#ifndef TAKT_DRIVERS_CHIP_GPIO_H
#define TAKT_DRIVERS_CHIP_GPIO_H

#include <takt/gpio.h>

#define chip_gpio_mode  takt_gpio_mode
#define chip_gpio_write takt_gpio_write
#define chip_gpio_read  takt_gpio_read

#define chip_pwm_write takt_pwm_write
#define chip_pwm_stop  takt_pwm_stop

/* Events of pins (takt/pin_events.h). */
#define chip_pin_events_on      takt_pin_events_on
#define chip_pin_events_off     takt_pin_events_off
#define chip_pin_events_take    takt_pin_events_take
#define chip_pin_events_hold    takt_pin_events_hold
#define chip_pin_events_release takt_pin_events_release

/* May edges of the pin be asked for? (It exists.) What the trace says where its events come from.
 * */
#define chip_pin_has_edges(pin)    true
#define chip_pin_event_source(pin) (pin)

#endif
