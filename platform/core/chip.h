/* What differs between chips: memories by data, devices behind functions. */
#ifndef TAKT_CHIP_H
#define TAKT_CHIP_H

#include "machine.h"

struct chip {
    const char *name;
    uint32_t core; /* the one it has */
    uint32_t flash_base, flash_size, ram_size;
    uint32_t vectors; /* where a machine that was told nothing starts */
    bool vtor;        /* can its vector table be moved? */
    uint32_t mpu_regions;
    uint32_t pin_mask[PIN_BANKS];
    uint32_t adc_channels;
    uint32_t systick_calibration;

    int (*create)(struct takt_machine *m);
    void (*destroy)(struct takt_machine *m);
    void (*reset)(struct takt_machine *m);
    int (*boot)(struct takt_machine *m); /* from reset to the first instruction of flash */

    /* Memory behind another address; NULL: none there. */
    uint8_t *(*memory)(struct takt_machine *m, uint32_t address, uint32_t size);
    /* Cycles that a load from flash takes more, and an instruction there for being fetched, where a
     * cache makes that differ (flash_cached); NULL: never. */
    uint32_t (*flash_wait)(struct takt_machine *m, uint32_t address);
    uint32_t (*fetch_wait)(struct takt_machine *m, uint32_t address, uint32_t size);
    /* Registers, by words; bus_size and bus_lane say what the program asked for. */
    uint32_t (*read)(struct takt_machine *m, uint32_t address);
    void (*write)(struct takt_machine *m, uint32_t address, uint32_t value);

    void (*pins_changed)(struct takt_machine *m, uint32_t bank, uint32_t changed, uint64_t when);
    void (*edges_passed)(struct takt_machine *m, uint32_t pin); /* both kinds */
    bool (*edges_matter)(const struct takt_machine *m, uint32_t pin);
    void (*outputs_refresh)(struct takt_machine *m);
    int32_t (*pin_pwm)(struct takt_machine *m, uint32_t pin, double *frequency, double *duty);

    void (*uart_waits)(struct takt_machine *m, uint32_t port, uint64_t when); /* see serial.c */
    void (*i2c_lines)(struct takt_machine *m, unsigned n, bool sda_moved, bool scl_moved,
                      uint64_t when);
    bool (*i2c_last)(const struct takt_machine *m, unsigned n);
    uint32_t (*spi_settings)(struct takt_machine *m, uint32_t bus, uint32_t *mode, uint32_t *bits);
    void (*adc_set)(struct takt_machine *m, uint32_t channel, int64_t microvolts);

    bool (*can_wake)(const struct takt_machine *m);
    uint32_t (*hz)(const struct takt_machine *m);
    uint32_t (*systick_cycles)(const struct takt_machine *m); /* of its reference clock */
    double (*clock_us)(const struct takt_machine *m);
};

extern const struct chip rp2040_chip, stm32f051_chip;

static inline uint32_t chip_hz(const struct takt_machine *m)
{
    return m->chip->hz(m);
}

#endif
