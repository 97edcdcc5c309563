/*
 * The two lines of an I2C bus moved by hand, a step of 100 us at a time: clocks with bits on SDA,
 * then a stop. A line is pulled low or let go, never driven high.
 *
 *   START -> LOW (SCL low, next bit) -> HIGH (SCL let go) -> SAMPLE -> LOW ...
 *                                                                  \-> STOP_LOW -> STOP -> CHECK
 *
 * Freeing a bus (UM10204 3.1.16): a device in the middle of a byte it sends holds SDA until it has
 * had its clocks, nine at most; then a stop ends whatever it believed in. The bits sent are ones
 * and the clocks end as soon as SDA is high.
 *
 * Asking for a device: a start, its address, and one bit more in which it answers. The controller
 * knows no transaction without data.
 */
#include "bus.h"

enum phase {
    START,
    LOW,
    HIGH,
    SAMPLE,
    STOP_LOW,
    STOP,
    CHECK,
};

#define CLOCKS_MOST    9u
#define PATIENCE_STEPS 20u

bool i2c_lines_high(const struct i2c_bus *bus)
{
    return i2c_chip_is_high(bus->sda) && i2c_chip_is_high(bus->scl);
}

static void take_pins(struct i2c_bus *bus)
{
    i2c_chip_pin_by_hand(bus->sda);
    i2c_chip_pin_by_hand(bus->scl);
}

static int give_back(struct i2c_bus *bus, int result)
{
    i2c_chip_let_go(bus->sda);
    i2c_chip_let_go(bus->scl);
    i2c_chip_pin_start(bus->sda);
    i2c_chip_pin_start(bus->scl);
    return result;
}

void i2c_lines_free(struct i2c_bus *bus)
{
    take_pins(bus);
    bus->lines = (struct i2c_lines){.phase = SAMPLE,
                                    .left = CLOCKS_MOST + 1u, /* the first sample needs none */
                                    .patience = PATIENCE_STEPS,
                                    .clean = true,
                                    .bits = 0xFFFF};
}

void i2c_lines_probe(struct i2c_bus *bus, uint8_t address)
{
    take_pins(bus);
    bus->lines = (struct i2c_lines){.phase = START,
                                    .left = 9,
                                    .patience = PATIENCE_STEPS,
                                    .probing = true,
                                    .clean = true,
                                    .bits = (uint16_t)((unsigned)address << 9 | 0xFFu)};
}

/* SCL low, then the next bit onto SDA, or low for a stop when there is none. */
static void clock_low(struct i2c_bus *bus)
{
    struct i2c_lines *l = &bus->lines;
    i2c_chip_pull(bus->scl);
    if (l->left > 0 && (l->bits & 0x8000u))
        i2c_chip_let_go(bus->sda);
    else
        i2c_chip_pull(bus->sda);
    l->phase = l->left > 0 ? HIGH : STOP_LOW;
}

/* What SDA says while SCL is high. */
static void sample(struct i2c_bus *bus)
{
    struct i2c_lines *l = &bus->lines;
    bool is = i2c_chip_is_high(bus->sda), sent = l->bits & 0x8000u;
    l->left--;
    if (l->probing && l->left == 0)
        l->acknowledged = !is;
    else if (l->probing && is != sent)
        l->clean = false;
    if (!l->probing && is)
        l->left = 0;
    l->bits = (uint16_t)(l->bits << 1);
}

static int result(const struct i2c_bus *bus)
{
    const struct i2c_lines *l = &bus->lines;
    if (!i2c_lines_high(bus) || !l->clean)
        return TAKT_EBUS;
    return l->probing && !l->acknowledged ? TAKT_ENACK : TAKT_OK;
}

/* SCL has been let go: by all devices? Counts down while not. */
static bool clock_is_high(struct i2c_bus *bus)
{
    if (i2c_chip_is_high(bus->scl))
        return true;
    bus->lines.patience--;
    return false;
}

int i2c_lines_step(struct i2c_bus *bus)
{
    struct i2c_lines *l = &bus->lines;
    if (l->patience == 0)
        return give_back(bus, l->probing ? TAKT_ETIMEOUT : TAKT_EBUS);
    switch ((enum phase)l->phase) {
    case START:
        i2c_chip_pull(bus->sda);
        l->phase = LOW;
        break;
    case LOW:
        clock_low(bus);
        break;
    case HIGH:
        i2c_chip_let_go(bus->scl);
        l->phase = SAMPLE;
        break;
    case SAMPLE:
        if (clock_is_high(bus)) {
            sample(bus);
            clock_low(bus);
        }
        break;
    case STOP_LOW:
        i2c_chip_let_go(bus->scl);
        l->phase = STOP;
        break;
    case STOP:
        if (clock_is_high(bus)) {
            i2c_chip_let_go(bus->sda);
            l->phase = CHECK;
        }
        break;
    case CHECK:
        return give_back(bus, result(bus));
    }
    return TAKT_EAGAIN;
}
