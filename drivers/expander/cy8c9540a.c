/*
 * See cy8c9540a.h.
 *
 * Several threads may change pins of one port, and a register holds them all. There is no lock: a
 * thread changes its bits in `output` or `config` and then has them sent. The bus reads what it
 * sends when the transaction begins and does one after another, so what the last of several
 * transactions brings is the latest for all, and each thread returns after one that had its bits.
 *
 * A port is set up when it is first used: inputs without resistors, as on an AVR board, which is
 * not what the chip wakes up with.
 */
#include "cy8c9540a.h"

#include <takt/i2c.h>
#include <takt/port.h>

enum {
    REG_INPUT = 0x00,
    REG_STATUS = 0x10,
    REG_PWM_SELECT = 0x28,
};

/* Bytes of config: port select, interrupt mask, PWM, inversion, direction, drive modes. */
enum {
    MASK = 2,
    SHOWS_PWM = 3,
    DIRECTION = 5,
    DRIVE = 6,
};

enum drive { PULL_UP = 0, PULL_DOWN = 1, STRONG = 4, HIGH_Z = 6 };

static const uint8_t drive_of[] = {
    [TAKT_GPIO_INPUT] = HIGH_Z,
    [TAKT_GPIO_OUTPUT] = STRONG,
    [TAKT_GPIO_INPUT_PULLUP] = PULL_UP,
    [TAKT_GPIO_INPUT_PULLDOWN] = PULL_DOWN,
};

#define TIMEOUT_US 10000u /* a transaction takes at most 1.4 ms at 100 kHz */

static int transfer(const struct cy8c9540a *chip, const uint8_t *out, size_t out_len, uint8_t *in,
                    size_t in_len)
{
    int result = takt_i2c_transfer(chip->bus, chip->address, out, out_len, in, in_len, TIMEOUT_US);
    if (result == TAKT_EINVAL) { /* the bus has not been opened */
        result = takt_i2c_open(chip->bus, chip->sda, chip->scl, chip->hz);
        if (result == TAKT_OK)
            result = takt_i2c_transfer(chip->bus, chip->address, out, out_len, in, in_len,
                                       TIMEOUT_US);
    }
    return result < 0 ? result : TAKT_OK;
}

static int send(const struct cy8c9540a *chip, const uint8_t *bytes, size_t n)
{
    return transfer(chip, bytes, n, NULL, 0);
}

static int receive(const struct cy8c9540a *chip, uint8_t reg, uint8_t *bytes, size_t n)
{
    return transfer(chip, &reg, 1, bytes, n);
}

static int send_output(struct cy8c9540a *chip, uint8_t port)
{
    return send(chip, chip->ports[port].output, CY8C9540A_OUTPUT_BYTES);
}

static int send_config(struct cy8c9540a *chip, uint8_t port)
{
    return send(chip, chip->ports[port].config, CY8C9540A_PORT_BYTES);
}

/* Direction first: what the chip wakes up with drives lows. */
int cy8c9540a_start(struct cy8c9540a *chip, uint8_t port)
{
    struct cy8c9540a_port *p = &chip->ports[port];
    if (p->ready)
        return TAKT_OK;
    int result = send_config(chip, port);
    if (result == TAKT_OK)
        result = send_output(chip, port);
    if (result == TAKT_OK)
        p->ready = true;
    return result;
}

static void set_bit(uint8_t *byte, uint8_t bit, bool on)
{
    *byte = (uint8_t)((*byte & ~(1u << bit)) | (unsigned)on << bit);
}

static bool has_bit(uint8_t byte, uint8_t bit)
{
    return byte >> bit & 1u;
}

/* What the output register is to say of a pin: it is also what resistors pull to, and a PWM needs
 * a one. */
static void settle_output_locked(struct cy8c9540a_port *p, uint8_t bit)
{
    bool high = has_bit(p->config[DIRECTION], bit) ? has_bit(p->config[DRIVE + PULL_UP], bit)
                                                   : has_bit(p->levels | p->pwms, bit);
    set_bit(&p->output[1], bit, high);
}

static void set_mode(struct cy8c9540a_port *p, uint8_t bit, enum takt_gpio_mode mode, bool pwm)
{
    port_irq_t irq = port_irq_save();
    set_bit(&p->pwms, bit, pwm);
    set_bit(&p->config[SHOWS_PWM], bit, pwm);
    set_bit(&p->config[DIRECTION], bit, mode != TAKT_GPIO_OUTPUT);
    for (uint8_t drive = 0; drive < CY8C9540A_DRIVES; drive++)
        set_bit(&p->config[DRIVE + drive], bit, drive == drive_of[mode]);
    settle_output_locked(p, bit);
    port_irq_restore(irq);
}

/* An output gets its level before it drives, an input stops driving before its level goes. */
static int change_mode(struct cy8c9540a *chip, uint8_t port, uint8_t bit, enum takt_gpio_mode mode,
                       bool pwm)
{
    int result = cy8c9540a_start(chip, port);
    if (result != TAKT_OK)
        return result;
    set_mode(&chip->ports[port], bit, mode, pwm);
    bool drives = mode == TAKT_GPIO_OUTPUT;
    result = drives ? send_output(chip, port) : send_config(chip, port);
    if (result != TAKT_OK)
        return result;
    return drives ? send_config(chip, port) : send_output(chip, port);
}

int cy8c9540a_mode(struct cy8c9540a *chip, uint8_t port, uint8_t bit, enum takt_gpio_mode mode)
{
    return change_mode(chip, port, bit, mode, false);
}

int cy8c9540a_write(struct cy8c9540a *chip, uint8_t port, uint8_t bit, bool high)
{
    struct cy8c9540a_port *p = &chip->ports[port];
    port_irq_t irq = port_irq_save();
    set_bit(&p->levels, bit, high);
    bool drives = !has_bit(p->config[DIRECTION], bit);
    settle_output_locked(p, bit);
    port_irq_restore(irq);
    return drives ? send_output(chip, port) : TAKT_OK;
}

int cy8c9540a_read(struct cy8c9540a *chip, uint8_t port, uint8_t bit)
{
    uint8_t levels;
    int result = cy8c9540a_start(chip, port);
    if (result == TAKT_OK)
        result = cy8c9540a_levels(chip, port, 1, &levels);
    return result == TAKT_OK ? has_bit(levels, bit) : result;
}

/* Clocks of a PWM by the number its register takes; the period is at most 255 of one. */
static const struct {
    uint32_t hz;
    uint8_t number;
} clocks[] = {{24000000, 1}, {1500000, 2}, {93750, 3}, {32000, 0}};

#define PERIOD_MAX 255u
#define PERIOD_MIN 4u

/* The PWM of a pin: ports 0 and 1 have four odd ones and four even ones, each twice. */
static uint8_t pwm_of(uint8_t port, uint8_t bit)
{
    return (uint8_t)(7u - 2u * (bit & 3u) - port);
}

int cy8c9540a_pwm(struct cy8c9540a *chip, uint8_t port, uint8_t bit, uint32_t frequency_hz,
                  uint16_t duty)
{
    if (port > 1 || frequency_hz == 0)
        return TAKT_EINVAL;
    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        uint32_t period = (clocks[i].hz + frequency_hz / 2u) / frequency_hz;
        if (period > PERIOD_MAX)
            continue;
        if (period < PERIOD_MIN)
            break;
        uint8_t width = (uint8_t)((duty * period + 32767u) / 65535u);
        uint8_t bytes[] = {REG_PWM_SELECT, pwm_of(port, bit), clocks[i].number, (uint8_t)period,
                           width};
        int result = send(chip, bytes, sizeof bytes);
        if (result != TAKT_OK || has_bit(chip->ports[port].pwms, bit))
            return result;
        return change_mode(chip, port, bit, TAKT_GPIO_OUTPUT, true);
    }
    return TAKT_EINVAL;
}

int cy8c9540a_watch(struct cy8c9540a *chip, uint8_t port, uint8_t bit, bool on)
{
    struct cy8c9540a_port *p = &chip->ports[port];
    int result = cy8c9540a_start(chip, port);
    if (result != TAKT_OK)
        return result;
    port_irq_t irq = port_irq_save();
    set_bit(&p->config[MASK], bit, !on);
    port_irq_restore(irq);
    return send(chip, p->config, CY8C9540A_MASK_BYTES);
}

int cy8c9540a_changed(struct cy8c9540a *chip, uint8_t first, uint8_t count, uint8_t *changed)
{
    return receive(chip, (uint8_t)(REG_STATUS + first), changed, count);
}

int cy8c9540a_levels(struct cy8c9540a *chip, uint8_t first, uint8_t count, uint8_t *levels)
{
    return receive(chip, (uint8_t)(REG_INPUT + first), levels, count);
}
