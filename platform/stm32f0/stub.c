/* I2C, SPI, ADC: to come. */
#include "stm32f0.h"

void f0_i2c_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    (void)m, (void)id, (void)when;
}

void f0_i2c_timeout_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    (void)m, (void)id, (void)when;
}

uint32_t f0_i2c_output(const struct takt_machine *m, struct function f)
{
    (void)m, (void)f;
    return 0;
}

void f0_i2c_wired(struct takt_machine *m)
{
    (void)m;
}

void f0_i2c_lines(struct takt_machine *m, unsigned n, bool sda_moved, bool scl_moved, uint64_t when)
{
    (void)m, (void)n, (void)sda_moved, (void)scl_moved, (void)when;
}

bool f0_i2c_last(const struct takt_machine *m, unsigned n)
{
    (void)m, (void)n;
    return false;
}

void f0_spi_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    (void)m, (void)id, (void)when;
}

uint32_t f0_spi_output(const struct takt_machine *m, struct function f)
{
    (void)m, (void)f;
    return 0;
}

uint32_t f0_spi_settings(struct takt_machine *m, uint32_t bus, uint32_t *mode, uint32_t *bits)
{
    (void)m, (void)bus;
    *mode = *bits = 0;
    return 0;
}

void f0_adc_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    (void)m, (void)id, (void)when;
}

void f0_adc_set(struct takt_machine *m, uint32_t channel, int64_t microvolts)
{
    (void)m, (void)channel, (void)microvolts;
}

void f0_adc_power_on(struct takt_machine *m)
{
    (void)m;
}

const struct device f0_i2c_devices[2] = {
    {"I2C1", 0x40005400, ON_APB1, 21, NULL, NULL, NULL},
    {"I2C2", 0x40005800, ON_APB1, 22, NULL, NULL, NULL},
};
const struct device f0_spi_devices[2] = {
    {"SPI1", 0x40013000, ON_APB2, 12, NULL, NULL, NULL},
    {"SPI2", 0x40003800, ON_APB1, 14, NULL, NULL, NULL},
};
const struct device f0_adc_device = {"ADC", 0x40012400, ON_APB2, 9, NULL, NULL, NULL};
