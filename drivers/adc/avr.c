/*
 * ADC of an ATmega (ATmega328P data sheet 24): 10 bits, 13 clocks of 125 kHz, which is what all of
 * them need. The result is awaited by polling, under a mutex because channel selection, start and
 * result belong together. An interrupt that converts knows no mutex: it counts, and the thread
 * that it has come in between makes its conversion again.
 */
#include <takt/adc.h>
#include <takt/mutex.h>
#include <takt/port.h>
#include <takt/thread.h>
#include <takt/fact.h>

#include "../avr/avr_pins.h"

#define CHANNELS 8u
#ifdef PINA
#define ANALOG_PORT AVR_PIN(PINA, 0)
#else
#define ANALOG_PORT AVR_PIN(PINC, 0)
#endif

enum { DIVIDE = F_CPU / 125000ul == 128 ? 7 : 6 }; /* by 128 or 64 */

/* Without pull-up. Mostly it is one. */
static inline void make_input(uint8_t pin)
{
    uint8_t code = avr_pin(pin), bit = avr_bit(code);
    volatile uint8_t *port = avr_port(code);
    if (!((port[AVR_DIR] | port[AVR_OUT]) & bit))
        return;
    port_irq_t irq = port_irq_save();
    avr_pwm_release(pin);
    port[AVR_DIR] &= (uint8_t)~bit;
    port[AVR_OUT] &= (uint8_t)~bit;
    port_irq_restore(irq);
}

static uint8_t reference = 1u << REFS0;
static volatile uint8_t in_interrupts; /* conversions */

static void await_end(void)
{
    while (ADCSRA & (1u << ADSC)) {
    }
}

static uint16_t result(uint8_t channel)
{
    ADMUX = (uint8_t)(reference | channel);
    ADCSRA = 1u << ADEN | 1u << ADSC | DIVIDE << ADPS0;
    await_end();
    return ADC;
}

/* In 12 bits, of which the last two are the first two. */
static int convert(uint8_t pin, uint8_t channel)
{
    uint16_t value;
    uint8_t before;
    make_input(pin);
    do {
        before = in_interrupts;
        value = result(channel);
    } while (before != in_interrupts);
    return (int)(value << 2 | value >> 8);
}

/* The thread may have read the low byte of its result, which holds the next back until the high one
 * is read. */
static int convert_isr(uint8_t pin, uint8_t channel)
{
    await_end();
    (void)ADC;
    in_interrupts++;
    return convert(pin, channel);
}

int takt_adc_reference(uint8_t refs)
{
    if (refs > 3)
        return TAKT_EINVAL;
    reference = (uint8_t)(refs << REFS0);
    return TAKT_OK;
}

#define LONGEST_US 300 /* a conversion, and what the first one needs before */

int takt_adc_read(uint8_t pin)
{
    TAKT_FACT("takes 300");
    static struct takt_mutex converter = TAKT_MUTEX_COMPUTED(LONGEST_US);
    uint8_t channel = avr_pin_exists(pin) ? (uint8_t)(avr_pin(pin) - ANALOG_PORT) : CHANNELS;
    if (channel >= CHANNELS)
        return TAKT_EINVAL;
    if (port_in_isr())
        return convert_isr(pin, channel);
    if (TAKT_ONE_THREAD || takt_thread_count() == 1)
        return convert(pin, channel);
    (void)takt_mutex_lock(&converter); /* refused in main, where no other thread runs */
    int value = convert(pin, channel);
    (void)takt_mutex_unlock(&converter);
    return value;
}
