/*
 * CY8C9540A: 40 pins and 8 PWMs behind an I2C bus (Cypress 38-12036), in ports of 8, 8, 4, 8, 8 and
 * 4 pins.
 *
 * All calls are for threads and block the caller for one to three transactions (at 100 kHz about
 * 0.1 ms a byte). They return TAKT_OK or what takt_i2c_transfer() says; after an error the pin gets
 * what was asked for with the next successful transaction about it. Ports and bits that the chip
 * does not have are the caller's mistake. Private to drivers/.
 */
#ifndef TAKT_CY8C9540A_H
#define TAKT_CY8C9540A_H

#include <takt/gpio.h>

enum {
    CY8C9540A_PORTS = 6,
    CY8C9540A_DRIVES = 7, /* drive modes */
    /* as on the bus: register, values */
    CY8C9540A_OUTPUT_BYTES = 2,
    CY8C9540A_MASK_BYTES = 3,
    CY8C9540A_PORT_BYTES = 6 + CY8C9540A_DRIVES,
};

struct cy8c9540a_port {
    uint8_t levels; /* last written by the user */
    uint8_t pwms;   /* pins that show a PWM, in use */
    bool ready;     /* the chip has what is below */
    /* what the chip is to have, as it is sent; changed with interrupts off */
    uint8_t output[CY8C9540A_OUTPUT_BYTES];
    uint8_t config[CY8C9540A_PORT_BYTES];
};

struct cy8c9540a {
    uint8_t bus, address;
    uint8_t sda, scl; /* for opening the bus, where that has not been done */
    uint32_t hz;
    struct cy8c9540a_port ports[CY8C9540A_PORTS];
};

/* clang-format off */
#define CY8C9540A_PORT_INIT_(n)                                                                    \
    {0, 0, false, {0x08 + (n), 0}, {0x18, (n), 0xFF, 0, 0, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF}}
#define CY8C9540A_INIT(bus_, address_, sda_, scl_, hz_)                                            \
    {(bus_), (address_), (sda_), (scl_), (hz_),                                                    \
     {CY8C9540A_PORT_INIT_(0), CY8C9540A_PORT_INIT_(1), CY8C9540A_PORT_INIT_(2),                   \
      CY8C9540A_PORT_INIT_(3), CY8C9540A_PORT_INIT_(4), CY8C9540A_PORT_INIT_(5)}}
/* clang-format on */

/* Sets a port up unless it has been: only for callers of cy8c9540a_changed() or _levels() first.
 */
int cy8c9540a_start(struct cy8c9540a *chip, uint8_t port);

/* Makes a pin an input or an output; takes it from its PWM. */
int cy8c9540a_mode(struct cy8c9540a *chip, uint8_t port, uint8_t bit, enum takt_gpio_mode mode);

/* Sets the level of an output; of an input it is remembered. */
int cy8c9540a_write(struct cy8c9540a *chip, uint8_t port, uint8_t bit, bool high);

/* The level at the pin, 0 or 1. */
int cy8c9540a_read(struct cy8c9540a *chip, uint8_t port, uint8_t bit);

/* Makes the pin an output that shows a PWM of its own, for pins of ports 0 and 1: about
 * frequency_hz, 126 and up, duty 0..65535, in steps of one period / (4 to 255). TAKT_EINVAL. */
int cy8c9540a_pwm(struct cy8c9540a *chip, uint8_t port, uint8_t bit, uint32_t frequency_hz,
                  uint16_t duty);

/* Whether changes of the pin make the INT output active. */
int cy8c9540a_watch(struct cy8c9540a *chip, uint8_t port, uint8_t bit, bool on);

/* Of `count` ports from `first`: pins that have changed since this was last asked, and the levels
 * of all pins. One transaction each. */
int cy8c9540a_changed(struct cy8c9540a *chip, uint8_t first, uint8_t count, uint8_t *changed);
int cy8c9540a_levels(struct cy8c9540a *chip, uint8_t first, uint8_t count, uint8_t *levels);

#endif
