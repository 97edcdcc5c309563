/*
 * IO_BANK0 and PADS_BANK0: function select with overrides, pulls, and interrupts on levels and
 * edges. Per pin 4 interrupt bits: level low, level high, edge low, edge high.
 */
#include <string.h>

#include "rp2040.h"

#define ALL_PINS ((1u << PIN_COUNT) - 1)
#define EDGES    0xccccccccu

static uint32_t override(uint32_t value, uint32_t how)
{
    return how == 0 ? value : how == 1 ? !value : how == 3;
}

/* What the selected function does with the pin: bit 0 level, bit 1 output enable. */
static uint32_t function_output(const struct takt_machine *m, uint32_t pin, uint64_t when)
{
    const struct gpio *g = &m->soc->gpio;
    switch (g->ctrl[pin] & 31) {
    case FUNC_SIO:
        return (g->out >> pin & 1) | (g->oe >> pin & 1) << 1;
    case FUNC_PWM:
        return 2u | pwm_level(m, pin, when);
    case FUNC_UART: /* TX and RTS idle high; bits are not drawn on the pin */
        return (pin & 3) == 0 || (pin & 3) == 3 ? 3 : 0;
    case FUNC_SPI:
        return spi_output(m, pin);
    case FUNC_I2C: { /* open drain: low or nothing */
        const struct i2c *c = &m->soc->i2c[pin >> 1 & 1];
        return ((pin & 1) == 0 ? c->sda_low : c->scl_low) ? 2 : 0;
    }
    case FUNC_PIO0:
    case FUNC_PIO1: {
        const uint32_t *pad = m->soc->pio[(g->ctrl[pin] & 31) - FUNC_PIO0].pad;
        return (pad[PIO_LEVELS] >> pin & 1) | (pad[PIO_DIRECTIONS] >> pin & 1) << 1;
    }
    }
    return 0;
}

void gpio_outputs(struct takt_machine *m, uint64_t when)
{
    struct gpio *g = &m->soc->gpio;
    uint32_t driven = 0, out = 0;
    g->plain = g->pwm = g->open_drain = g->pio[0] = g->pio[1] = g->pio_else = 0;
    for (uint32_t pin = 0; pin < PIN_COUNT; pin++) {
        uint32_t ctrl = g->ctrl[pin], function = function_output(m, pin, when);
        uint32_t enable = override(function >> 1, ctrl >> 12 & 3);
        bool disabled = (g->pad[pin] & 0x80) != 0;
        if (disabled)
            enable = 0;
        g->plain |= (uint32_t)((ctrl & 0x331f) == FUNC_SIO && !disabled) << pin;
        g->pwm |= (uint32_t)((ctrl & 31) == FUNC_PWM) << pin;
        g->open_drain |= (uint32_t)((ctrl & 0x331f) == FUNC_I2C && !disabled) << pin;
        for (unsigned n = 0; n < PIO_BLOCKS; n++)
            g->pio[n] |= (uint32_t)((ctrl & 0x331f) == FUNC_PIO0 + n && !disabled) << pin;
        g->pio_else |= (uint32_t)((ctrl & 30) == FUNC_PIO0) << pin;
        driven |= enable << pin;
        out |= override(function & 1, ctrl >> 8 & 3) << pin;
    }
    g->pio_else &= ~(g->pio[0] | g->pio[1]);
    pins_output(m, 0, driven, out, when);
}

/* After a change of SIO alone: all other pins stay as they are. */
void gpio_plain_outputs(struct takt_machine *m)
{
    const struct gpio *g = &m->soc->gpio;
    uint32_t driven = (m->pins[0].driven & ~g->plain) | (g->oe & g->plain);
    uint32_t out = (m->pins[0].out & ~g->plain) | (g->out & g->plain);
    if ((g->plain & (g->out | g->oe)) != (g->out | g->oe))
        gpio_outputs(m, m->now);
    else
        pins_output(m, 0, driven, out, m->now);
}

/* After a change of a PIO's pads alone. */
void gpio_pio_outputs(struct takt_machine *m, unsigned n, uint64_t when)
{
    const uint32_t *pad = m->soc->pio[n].pad, pins = m->soc->gpio.pio[n];
    uint32_t driven = (m->pins[0].driven & ~pins) | (pad[PIO_DIRECTIONS] & pins);
    uint32_t out = (m->pins[0].out & ~pins) | (pad[PIO_LEVELS] & pins);
    if (m->soc->gpio.pio_else != 0)
        gpio_outputs(m, when);
    else
        pins_output(m, 0, driven, out, when);
}

/* After a change of one I2C line alone. */
void gpio_open_drain(struct takt_machine *m, uint32_t pins, bool low, uint64_t when)
{
    uint32_t driven = low ? m->pins[0].driven | pins : m->pins[0].driven & ~pins;
    if ((pins & ~m->soc->gpio.open_drain) != 0)
        gpio_outputs(m, when);
    else
        pins_output(m, 0, driven, m->pins[0].out & ~pins, when);
}

/* Input levels as the core sees them: pad input enable, then the input override. */
uint32_t gpio_inputs(struct takt_machine *m)
{
    const struct gpio *g = &m->soc->gpio;
    uint32_t levels = m->pins[0].wire & g->inputs;
    return ((levels ^ g->in_inverted) & ~g->in_low) | g->in_high;
}

/* Gathers what gpio_inputs() needs from the pads and the control registers. */
static void inputs_update(struct takt_machine *m)
{
    struct gpio *g = &m->soc->gpio;
    g->inputs = g->in_inverted = g->in_low = g->in_high = 0;
    for (uint32_t pin = 0; pin < PIN_COUNT; pin++) {
        uint32_t how = g->ctrl[pin] >> 16 & 3;
        g->inputs |= (g->pad[pin] >> 6 & 1) << pin;
        g->in_inverted |= (uint32_t)(how == 1) << pin;
        g->in_low |= (uint32_t)(how == 2) << pin;
        g->in_high |= (uint32_t)(how == 3) << pin;
    }
    pio_inputs_changed(m, m->now);
}

bool gpio_routed(const struct takt_machine *m, uint32_t pins, uint32_t function)
{
    for (; pins != 0; pins &= pins - 1) {
        if ((m->soc->gpio.ctrl[__builtin_ctz(pins)] & 31) == function)
            return true;
    }
    return false;
}

uint32_t gpio_with_function(const struct takt_machine *m, uint32_t function, uint32_t among)
{
    uint32_t found = 0;
    for (uint32_t pin = 0; pin < PIN_COUNT; pin++)
        found |= (uint32_t)((m->soc->gpio.ctrl[pin] & 31) == function) << pin;
    return found & among;
}

bool gpio_can_interrupt(const struct takt_machine *m)
{
    const struct gpio *g = &m->soc->gpio;
    return (g->inte[0] | g->inte[1] | g->inte[2] | g->inte[3]) != 0;
}

/* INTR: latched edges, live levels. */
static uint32_t raw(const struct takt_machine *m, unsigned bank)
{
    const struct gpio *g = &m->soc->gpio;
    uint32_t levels = 0;
    for (uint32_t pin = bank * 8; pin < bank * 8 + 8 && pin < PIN_COUNT; pin++) {
        uint32_t wire = (g->pad[pin] & 0x40) != 0 ? m->pins[0].wire >> pin & 1 : 0;
        wire = override(wire, g->ctrl[pin] >> 28 & 3);
        levels |= (wire != 0 ? 2u : 1u) << (pin % 8 * 4);
    }
    return g->edges[bank] | levels;
}

static void update_irq(struct takt_machine *m)
{
    const struct gpio *g = &m->soc->gpio;
    uint32_t any = 0;
    for (unsigned bank = 0; bank < 4; bank++) {
        if ((g->inte[bank] | g->intf[bank]) != 0)
            any |= (raw(m, bank) & g->inte[bank]) | g->intf[bank];
    }
    irq_line(m, IRQ_IO_BANK0, any != 0);
}

static void latch_edges(struct takt_machine *m, uint32_t changed)
{
    struct gpio *g = &m->soc->gpio;
    for (; changed != 0; changed &= changed - 1) {
        uint32_t pin = (uint32_t)__builtin_ctz(changed);
        bool high = (m->pins[0].wire >> pin & 1) != ((g->ctrl[pin] >> 28 & 3) == 1);
        if ((g->pad[pin] & 0x40) != 0)
            g->edges[pin / 8] |= (high ? 8u : 4u) << (pin % 8 * 4);
    }
    update_irq(m);
}

/* A wave went up and down unseen: both latches are set, if the input hears it. */
void gpio_edges_passed(struct takt_machine *m, uint32_t pin)
{
    struct gpio *g = &m->soc->gpio;
    bool ours = ((m->pins[0].driven | m->pins[0].low) >> pin & 1) == 0;
    if (ours && (g->pad[pin] & 0x40) != 0 && (m->soc->reset >> io_bank0_device.reset_bit & 1) == 0)
        g->edges[pin / 8] |= 12u << (pin % 8 * 4);
    update_irq(m);
}

/* Could another edge of the pin change the interrupt? Not once an enabled one is latched. */
bool gpio_edges_matter(const struct takt_machine *m, uint32_t pin)
{
    const struct gpio *g = &m->soc->gpio;
    uint32_t enabled = g->inte[pin / 8] >> (pin % 8 * 4) & 15;
    uint32_t latched = g->edges[pin / 8] >> (pin % 8 * 4) & 12;
    if (pio_looks(m))
        return true;
    return enabled != 0 && (latched & enabled) == 0 && (g->pad[pin] & 0x40) != 0;
}

void gpio_changed(struct takt_machine *m, uint32_t bank, uint32_t changed, uint64_t when)
{
    (void)bank;
    pio_inputs_changed(m, when);
    if ((m->soc->reset >> io_bank0_device.reset_bit & 1) == 0)
        latch_edges(m, changed & ALL_PINS);
}

void gpio_refresh(struct takt_machine *m)
{
    pwm_refresh(m);
    gpio_outputs(m, m->now);
}

static void io_reset(struct takt_machine *m)
{
    struct gpio *g = &m->soc->gpio;
    for (uint32_t pin = 0; pin < PIN_COUNT; pin++)
        g->ctrl[pin] = FUNC_NULL;
    inputs_update(m);
    i2c_wire(m);
    memset(g->edges, 0, sizeof g->edges);
    memset(g->inte, 0, sizeof g->inte);
    memset(g->intf, 0, sizeof g->intf);
    memset(g->dormant, 0, sizeof g->dormant);
    memset(g->other_core, 0, sizeof g->other_core);
    gpio_refresh(m);
    update_irq(m);
}

static uint32_t status(struct takt_machine *m, uint32_t pin)
{
    uint32_t in = gpio_inputs(m) >> pin & 1, function = function_output(m, pin, m->now);
    return (m->pins[0].driven >> pin & 1) << 13 | (function >> 1) << 12 |
           (m->pins[0].out >> pin & 1) << 9 | (function & 1) << 8 |
           (m->pins[0].wire >> pin & 1) << 17 | in << 19;
}

/* 0xf0 INTR, then per core INTE, INTF, INTS of 4 words each, then dormant wake. */
static uint32_t io_read(struct takt_machine *m, uint32_t offset)
{
    struct gpio *g = &m->soc->gpio;
    unsigned bank = offset / 4 & 3;
    wave_sync(m, m->now);
    if (offset < 8 * PIN_COUNT)
        return (offset & 4) != 0 ? g->ctrl[offset / 8] : status(m, offset / 8);
    switch (offset & ~15u) {
    case 0xf0:
        return raw(m, bank);
    case 0x100:
        return g->inte[bank];
    case 0x110:
        return g->intf[bank];
    case 0x120:
        return (raw(m, bank) & g->inte[bank]) | g->intf[bank];
    }
    report_access(m, "IO_BANK0", 0x40014000u + offset, offset, false, 0);
    return 0;
}

static void io_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct gpio *g = &m->soc->gpio;
    unsigned bank = offset / 4 & 3;
    wave_sync(m, m->now);
    if (offset < 8 * PIN_COUNT && (offset & 4) != 0) {
        g->ctrl[offset / 8] = value & 0x3003331fu;
        inputs_update(m);
        i2c_wire(m);
        gpio_refresh(m);
    } else if ((offset & ~15u) == 0xf0) {
        g->edges[bank] &= ~(value & EDGES);
    } else if ((offset & ~15u) == 0x100) {
        g->inte[bank] = value;
        pwm_refresh(m);
    } else if ((offset & ~15u) == 0x110) {
        g->intf[bank] = value;
    } else {
        report_access(m, "IO_BANK0", 0x40014000u + offset, offset, true, value);
    }
    update_irq(m);
    if (m->waves != 0)
        wave_arm(m);
}

static void pads_apply(struct takt_machine *m)
{
    const struct gpio *g = &m->soc->gpio;
    uint32_t up = 0, down = 0;
    for (uint32_t pin = 0; pin < PIN_COUNT; pin++) {
        up |= (g->pad[pin] >> 3 & 1) << pin;
        down |= (g->pad[pin] >> 2 & 1) << pin;
    }
    inputs_update(m);
    gpio_outputs(m, m->now);
    pins_pulls(m, 0, up, down, m->now);
}

static void pads_reset(struct takt_machine *m)
{
    struct gpio *g = &m->soc->gpio;
    for (uint32_t pin = 0; pin < PIN_COUNT; pin++)
        g->pad[pin] = 0x56; /* input on, 4 mA, pull-down, Schmitt trigger */
    g->voltage = 0;
    g->swd[0] = 0xda;
    g->swd[1] = 0x5a;
    pads_apply(m);
}

static uint32_t pads_read(struct takt_machine *m, uint32_t offset)
{
    const struct gpio *g = &m->soc->gpio;
    if (offset == 0)
        return g->voltage;
    if (offset <= 4 * PIN_COUNT)
        return g->pad[offset / 4 - 1];
    if (offset <= 4 * PIN_COUNT + 8)
        return g->swd[offset / 4 - PIN_COUNT - 1];
    report_access(m, "PADS_BANK0", 0x4001c000u + offset, offset, false, 0);
    return 0;
}

static void pads_write(struct takt_machine *m, uint32_t offset, uint32_t value)
{
    struct gpio *g = &m->soc->gpio;
    wave_sync(m, m->now);
    if (offset == 0)
        g->voltage = value & 1;
    else if (offset <= 4 * PIN_COUNT)
        g->pad[offset / 4 - 1] = value & 0xff;
    else if (offset <= 4 * PIN_COUNT + 8)
        g->swd[offset / 4 - PIN_COUNT - 1] = value & 0xff;
    else
        report_access(m, "PADS_BANK0", 0x4001c000u + offset, offset, true, value);
    pads_apply(m);
    update_irq(m);
    if (m->waves != 0)
        wave_arm(m);
}

const struct device io_bank0_device = {"IO_BANK0", 0x40014000, 5, io_read, io_write, io_reset};
const struct device pads_bank0_device = {"PADS_BANK0", 0x4001c000, 8,
                                         pads_read,    pads_write, pads_reset};
