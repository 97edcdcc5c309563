/*
 * ADC of the STM32F0 (RM0091 chapter 13): one converter at 12 MHz, 13.5 cycles to sample (for
 * sources of up to 19 kOhm) and 12.5 to convert. That is less than blocking would cost, so the
 * result is awaited by polling, under a mutex because channel selection, start and result belong
 * together.
 */
#include <takt/adc.h>
#include <takt/mutex.h>
#include <takt/port.h>
#include <takt/fact.h>

#include "../gpio/stm32f0_pins.h"
#include "../stm32f0/start.h"

enum {
    ISR_READY = 1u << 0,
    ISR_DONE = 1u << 2,
    CR_ENABLE = 1u << 0,
    CR_START = 1u << 2,
    CR_CALIBRATE = 1u << 31,
    CFGR2_CLOCK_BY_4 = 2u << 30,
    SMPR_13_5 = 2,
    NO_CHANNEL = 0xFF,
};

STM32F0_START_ADD(clock, 20, STM32F0_RCC->apb2enr, STM32F0_APB2_ADC);
STM32F0_START(rate, 30, STM32F0_ADC->cfgr2, CFGR2_CLOCK_BY_4);
STM32F0_START(sample, 30, STM32F0_ADC->smpr, SMPR_13_5);

/* PA0 to PA7, PB0, PB1, PC0 to PC5. */
static unsigned channel_of(uint8_t pin)
{
    static const struct {
        uint8_t pins, first;
    } ports[] = {{8, 0}, {2, 8}, {6, 10}};
    unsigned port = pin < stm32f0_pin_count ? stm32f0_pins[pin] >> 4 : NO_CHANNEL;
    unsigned bit = pin < stm32f0_pin_count ? stm32f0_pins[pin] & 15u : 0;
    return port < 3 && bit < ports[port].pins ? ports[port].first + bit : NO_CHANNEL;
}

/* Not in the start state: calibration takes 7 us, in which programs without need not wait. */
static void power_up(void)
{
    if (STM32F0_ADC->cr & CR_ENABLE)
        return;
    STM32F0_ADC->cr = CR_CALIBRATE;
    while (STM32F0_ADC->cr & CR_CALIBRATE) {
    }
    while (!(STM32F0_ADC->isr & ISR_READY))
        STM32F0_ADC->cr = CR_ENABLE; /* refused for four cycles after the calibration */
}

#define LONGEST_US 60 /* a conversion, and what the first one needs before */

int takt_adc_read(uint8_t pin)
{
    TAKT_FACT("takes 60");
    static struct takt_mutex converter = TAKT_MUTEX_COMPUTED(LONGEST_US);
    unsigned channel = channel_of(pin);
    if (channel == NO_CHANNEL)
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;

    (void)takt_mutex_lock(&converter); /* refused in main, where no thread runs */
    power_up();
    stm32f0_pin_set(stm32f0_pins[pin], STM32F0_ANALOG, STM32F0_NO_PULL, 0);
    STM32F0_ADC->chselr = 1u << channel;
    STM32F0_ADC->cr = CR_ENABLE | CR_START;
    while (!(STM32F0_ADC->isr & ISR_DONE)) {
    }
    int value = (int)(STM32F0_ADC->dr & 0xFFFu); /* forgets that it is done */
    (void)takt_mutex_unlock(&converter);
    return value;
}
