/*
 * See ad7298.h. A transfer of 16 bits selects a channel, the next one has it converted, the one
 * after that brings channel and value. There is no lock over the three, for which a thread might
 * have to wait while the one that has it is out of budget: the channel says whether the value is
 * the caller's.
 */
#include "ad7298.h"

#include <takt/spi.h>

enum {
    CONTROL_WRITE = 1u << 15,
    CONTROL_CHANNEL_0 = 1u << 13,
    VALUE_MASK = 0xFFFu,
    CHANNEL_SHIFT = 12,
    ATTEMPTS = 8,
};

/* Data goes out on rising and comes in on falling edges of a clock that rests high. */
static const struct takt_spi_settings settings = {.hz = 10000000, .mode = 2, .bits = 16};

static int exchange(const struct ad7298 *chip, uint16_t out, uint16_t *in)
{
    return takt_spi_transfer(chip->bus, &settings, chip->select, &out, in, 1);
}

int ad7298_read(const struct ad7298 *chip, uint8_t channel)
{
    uint16_t select = (uint16_t)(CONTROL_WRITE | CONTROL_CHANNEL_0 >> channel);
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        uint16_t value;
        int result = exchange(chip, select, &value);
        if (result >= 0)
            result = exchange(chip, 0, &value);
        if (result >= 0)
            result = exchange(chip, 0, &value);
        if (result < 0)
            return result;
        if (value >> CHANNEL_SHIFT == channel)
            return value & VALUE_MASK;
    }
    return TAKT_EBUS;
}
