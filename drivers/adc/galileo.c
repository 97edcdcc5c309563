/*
 * Analog inputs of the galileo: channels of its AD7298, 0..4095 for 0..3.3 V.
 */
#include <gpio/chip_gpio.h>
#include <takt/adc.h>
#include <takt/spi.h>

#include "../ad7298/ad7298.h"
#include "../bus/queue.h"

static const struct ad7298 converter = {GALILEO_SPI_BUS, GALILEO_ADC_SELECT};

static int open_bus(void)
{
    static bool open;
    if (open)
        return TAKT_OK;
    (void)chip_gpio_write(GALILEO_ADC_SELECT, true);
    (void)chip_gpio_mode(GALILEO_ADC_SELECT, TAKT_GPIO_OUTPUT);
    int result = takt_spi_open(GALILEO_SPI_BUS, GALILEO_SCK, GALILEO_MOSI, GALILEO_MISO);
    open = result == TAKT_OK;
    return result;
}

int takt_adc_read(uint8_t pin)
{
    if (pin < GALILEO_ANALOG_PIN || pin >= GALILEO_ANALOG_PIN + GALILEO_ANALOG_PINS)
        return TAKT_EINVAL;
    if (!bus_may_wait())
        return TAKT_ECONTEXT;
    int result = open_bus();
    if (result != TAKT_OK)
        return result;
    return ad7298_read(&converter, (uint8_t)(pin - GALILEO_ANALOG_PIN));
}
