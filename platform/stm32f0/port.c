/*
 * GPIO A-F: modes, pulls, output data. A pin is port * 16 + bit; two ports make a bank. Halfword
 * and byte accesses reach just those bits.
 */
#include "stm32f0.h"

#define BASE(port) (0x48000000u + 0x400u * (port))

/* Bit k of each pair of a register with two bits per pin. */
static uint32_t gather(uint32_t pairs, uint32_t value)
{
    uint32_t set = 0;
    for (uint32_t bit = 0; bit < 16; bit++)
        set |= (uint32_t)((pairs >> 2 * bit & 3) == value) << bit;
    return set;
}

static uint32_t both(const struct takt_machine *m, uint32_t bank,
                     uint32_t (*of)(const struct port *))
{
    const struct port *p = &m->f0->port[2 * bank];
    return (of(&p[0]) | of(&p[1]) << 16) & m->chip->pin_mask[bank];
}

static uint32_t output_mode(const struct port *p)
{
    return gather(p->moder, 1);
}

static uint32_t alternate_mode(const struct port *p)
{
    return gather(p->moder, 2);
}

static uint32_t analog_mode(const struct port *p)
{
    return gather(p->moder, 3);
}

static uint32_t open_drain(const struct port *p)
{
    return p->otyper & 0xffff;
}

static uint32_t pull_up(const struct port *p)
{
    return gather(p->pupdr, 1) & ~gather(p->moder, 3);
}

static uint32_t pull_down(const struct port *p)
{
    return gather(p->pupdr, 2) & ~gather(p->moder, 3);
}

/* An open drain drives low or nothing. */
static void drive(struct takt_machine *m, uint32_t bank, uint32_t driven, uint32_t out,
                  uint64_t when)
{
    driven &= ~(m->f0->bank[bank].open_drain & out);
    pins_output(m, bank, driven, out, when);
}

static void bank_outputs(struct takt_machine *m, uint32_t bank, uint64_t when)
{
    const struct bank *b = &m->f0->bank[bank];
    uint32_t driven = b->outputs, out = b->odr & b->outputs;
    for (uint32_t set = b->alternate; set != 0; set &= set - 1) {
        uint32_t bit = (uint32_t)__builtin_ctz(set);
        uint32_t function = function_output(m, bank * 32 + bit, when);
        driven |= (function >> 1 & 1) << bit;
        out |= (function & 1) << bit;
    }
    drive(m, bank, driven, out, when);
}

void port_outputs(struct takt_machine *m, uint64_t when)
{
    for (uint32_t bank = 0; bank < PIN_BANKS; bank++)
        bank_outputs(m, bank, when);
}

void port_refresh(struct takt_machine *m)
{
    tim_refresh(m);
    port_outputs(m, m->now);
}

/* After a change of output data alone. */
static void plain_outputs(struct takt_machine *m, uint32_t bank)
{
    const struct bank *b = &m->f0->bank[bank];
    uint32_t out = (m->pins[bank].out & b->alternate) | (b->odr & b->outputs);
    uint32_t driven = (m->pins[bank].driven & b->alternate) | b->outputs;
    drive(m, bank, driven, out, m->now);
}

static void set_output(struct takt_machine *m, uint32_t port, uint32_t odr)
{
    struct bank *b = &m->f0->bank[port / 2];
    m->f0->port[port].odr = odr;
    b->odr = port % 2 == 0 ? (b->odr & ~0xffffu) | odr : (b->odr & 0xffff) | odr << 16;
    plain_outputs(m, port / 2);
}

static void functions_update(struct takt_machine *m, uint32_t port)
{
    const struct port *p = &m->f0->port[port];
    for (uint32_t bit = 0; bit < 16; bit++) {
        struct function f = {FN_NONE, 0, 0};
        if ((p->moder >> 2 * bit & 3) == 2)
            f = function_of(16 * port + bit, p->afr[bit / 8] >> (bit % 8 * 4) & 15);
        m->f0->function[16 * port + bit] = f;
    }
}

/* Modes or functions of a port have changed. */
static void configured(struct takt_machine *m, uint32_t port)
{
    uint32_t bank = port / 2;
    struct bank *b = &m->f0->bank[bank];
    b->outputs = both(m, bank, output_mode);
    b->alternate = both(m, bank, alternate_mode);
    b->analog = both(m, bank, analog_mode);
    b->open_drain = both(m, bank, open_drain);
    functions_update(m, port);
    functions_wired(m);
    port_refresh(m);
    pins_pulls(m, bank, both(m, bank, pull_up), both(m, bank, pull_down), m->now);
    if (m->waves != 0)
        wave_arm(m);
}

static void port_reset(struct takt_machine *m, uint32_t port)
{
    struct port fresh = {.moder = 0};
    if (port == PORT_A) /* the debug port's pins */
        fresh = (struct port){.moder = 0x28000000, .ospeedr = 0x0c000000, .pupdr = 0x24000000};
    m->f0->port[port] = fresh;
    set_output(m, port, 0);
    configured(m, port);
}

static uint32_t inputs(struct takt_machine *m, uint32_t port)
{
    uint32_t bank = port / 2;
    wave_sync(m, m->now);
    if (tim_drives(m))
        port_refresh(m);
    return (m->pins[bank].wire & ~m->f0->bank[bank].analog) >> (port % 2 * 16) & 0xffff;
}

static uint32_t port_read(struct takt_machine *m, uint32_t port, uint32_t offset)
{
    const struct port *p = &m->f0->port[port];
    switch (offset) {
    case 0x00:
        return p->moder;
    case 0x04:
        return p->otyper;
    case 0x08:
        return p->ospeedr;
    case 0x0c:
        return p->pupdr;
    case 0x10:
        return inputs(m, port);
    case 0x14:
        return p->odr;
    case 0x18:
    case 0x28:
        return 0;
    case 0x1c:
        return p->lckr;
    case 0x20:
    case 0x24:
        return p->afr[offset / 4 - 8];
    }
    report_device(m, "GPIO", BASE(port), offset, false, 0);
    return 0;
}

/* LCKR: written with LCKK 1, 0, 1 and the same pins, then these are locked. */
static void lock(struct port *p, uint32_t value)
{
    bool key = (value >> 16 & 1) != 0, same = (value & 0xffff) == (p->lckr & 0xffff);
    if ((p->lckr >> 16) != 0)
        return;
    bool goes_on = p->lock_step == 0 ? key : same && key == (p->lock_step == 2);
    p->lock_step = goes_on ? p->lock_step + 1 : 0;
    p->lckr = value & 0xffff;
    if (p->lock_step == 3)
        p->lckr |= 1u << 16;
}

/* Bits of the register that locked pins keep; `width` bits per pin, from pin `first`. */
static uint32_t locked(const struct port *p, uint32_t width, uint32_t first)
{
    uint32_t keep = 0, mask = (1u << width) - 1;
    if ((p->lckr >> 16) == 0)
        return 0;
    for (uint32_t bit = first; bit < 16 && (bit - first) * width < 32; bit++) {
        if ((p->lckr >> bit & 1) != 0)
            keep |= mask << (bit - first) * width;
    }
    return keep;
}

static uint32_t *configuration(struct port *p, uint32_t offset, uint32_t *width, uint32_t *first)
{
    *first = offset == 0x24 ? 8 : 0;
    *width = offset >= 0x20 ? 4 : offset == 0x04 ? 1 : 2;
    switch (offset) {
    case 0x00:
        return &p->moder;
    case 0x04:
        return &p->otyper;
    case 0x08:
        return &p->ospeedr;
    case 0x0c:
        return &p->pupdr;
    case 0x20:
        return &p->afr[0];
    case 0x24:
        return &p->afr[1];
    }
    return NULL;
}

/* The lanes written, as a mask. */
static uint32_t lanes(const struct takt_machine *m)
{
    return m->bus_size == 4 ? ~0u : ((1u << 8 * m->bus_size) - 1) << 8 * m->bus_lane;
}

static void write_configuration(struct takt_machine *m, uint32_t port, uint32_t offset,
                                uint32_t value)
{
    struct port *p = &m->f0->port[port];
    uint32_t width, first, written = lanes(m);
    uint32_t *reg = configuration(p, offset, &width, &first);
    if (reg == NULL) {
        report_device(m, "GPIO", BASE(port), offset, true, value);
        return;
    }
    wave_sync(m, m->now);
    written &= ~locked(p, width, first) & (offset == 0x04 ? 0xffffu : ~0u);
    *reg = (*reg & ~written) | (value & written);
    configured(m, port);
}

static void port_write(struct takt_machine *m, uint32_t port, uint32_t offset, uint32_t value)
{
    struct port *p = &m->f0->port[port];
    uint32_t written = lanes(m), set = value & written;
    if (offset == 0x18) /* setting wins */
        set_output(m, port, (p->odr & ~(set >> 16)) | (set & 0xffff));
    else if (offset == 0x28)
        set_output(m, port, p->odr & ~set & 0xffff);
    else if (offset == 0x14)
        set_output(m, port, ((p->odr & ~written) | set) & 0xffff);
    else if (offset == 0x1c)
        lock(p, value);
    else
        write_configuration(m, port, offset, value);
}

#define PORT(lower, upper, port)                                                                   \
    static uint32_t lower##_read(struct takt_machine *m, uint32_t offset)                          \
    {                                                                                              \
        return port_read(m, port, offset);                                                         \
    }                                                                                              \
    static void lower##_write(struct takt_machine *m, uint32_t offset, uint32_t value)             \
    {                                                                                              \
        port_write(m, port, offset, value);                                                        \
    }                                                                                              \
    static void lower##_reset(struct takt_machine *m)                                              \
    {                                                                                              \
        port_reset(m, port);                                                                       \
    }                                                                                              \
    const struct device lower##_device = {upper,        BASE(port),    ON_AHB,       17 + (port),  \
                                          lower##_read, lower##_write, lower##_reset};

PORT(gpioa, "GPIOA", PORT_A)
PORT(gpiob, "GPIOB", PORT_B)
PORT(gpioc, "GPIOC", PORT_C)
PORT(gpiod, "GPIOD", PORT_D)
PORT(gpiof, "GPIOF", PORT_F)
