/* SPI devices outside the chip: their selects follow pins, words come from a controller. */
#include "machine.h"

/* Chip selects have moved. */
void spi_follow(struct takt_machine *m)
{
    for (uint32_t k = 0; k < m->spi_device_count; k++) {
        struct spi_device *d = &m->spi_device[k];
        bool selected = (m->pins[d->pin / 32].wire >> d->pin % 32 & 1) == 0;
        if (selected == d->selected)
            continue;
        d->selected = selected;
        (selected ? d->calls.select : d->calls.deselect)(d->calls.context);
    }
}

/* The words of all devices selected; none drives the line: `idle`. */
uint32_t spi_exchange(struct takt_machine *m, uint32_t bus, uint32_t word, uint32_t bits,
                      uint32_t idle)
{
    uint32_t result = idle, selected = 0, mask = (1u << bits) - 1;
    for (uint32_t k = 0; k < m->spi_device_count; k++) {
        struct spi_device *d = &m->spi_device[k];
        if (d->bus != bus || !d->selected)
            continue;
        uint32_t given = d->calls.transfer(d->calls.context, word, bits) & mask;
        result = selected++ == 0 ? given : result & given;
    }
    if (selected > 1)
        report_note(m, "two SPI devices are selected at once");
    return result;
}

int takt_spi_attach(struct takt_machine *m, uint32_t bus, uint32_t pin,
                    const struct takt_spi_device *device)
{
    if (bus > 1 || !pin_exists(m, pin) || m->spi_device_count == SPI_DEVICES)
        return -1;
    struct spi_device new = {.calls = *device, .bus = bus, .pin = pin};
    uint32_t bank = pin / 32, bit = 1u << pin % 32;
    m->spi_device[m->spi_device_count++] = new;
    m->pins[bank].select |= bit;
    pins_bus(m, bank, bit, 0, bit, m->now);
    spi_follow(m);
    return 0;
}

uint32_t takt_spi_settings(struct takt_machine *m, uint32_t bus, uint32_t *mode, uint32_t *bits)
{
    return m->chip->spi_settings(m, bus & 1, mode, bits);
}
