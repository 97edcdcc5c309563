/*
 * PWM in software, for pins that no timer reaches and for frequencies that none has: an alarm of
 * the clock's timer at each edge, two interrupts a period. Linked where takt_pwm_software is named:
 * tone() and Servo.
 */
#include <takt/gpio.h>
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/time.h>

#include "../avr/avr_alarm.h"
#include "avr.h"

#define WAVES   4u /* pins at a time */
#define HZ_MOST 2000u

const char takt_pwm_software;

/* Written with interrupts off. */
static struct wave {
    struct avr_alarm alarm; /* first */
    uint32_t high, low;     /* us; 0 high: always low, 0 low: always high */
    uint8_t pin;            /* + 1; 0: none */
    bool is_high;
} waves[WAVES];

static void alarm_edge(struct avr_alarm *alarm)
{
    TAKT_FACT("called alarm");
    struct wave *w = (struct wave *)alarm;
    takt_isr_enter();
    w->is_high = w->low == 0 || (w->high != 0 && !w->is_high);
    (void)takt_gpio_write((uint8_t)(w->pin - 1u), w->is_high);
    uint32_t lasts = w->is_high ? w->high : w->low;
    avr_alarm_set(alarm, alarm->at + lasts); /* from when it was due: no drift */
    takt_isr_exit(TIMER1_COMPB_vect_num);
}

static struct wave *wave_of(uint8_t owner)
{
    for (uint8_t i = 0; i < WAVES; i++)
        if (waves[i].pin == owner)
            return &waves[i];
    return NULL;
}

int avr_soft_write(uint8_t pin, uint32_t frequency_hz, uint16_t duty)
{
    if (frequency_hz > HZ_MOST)
        return TAKT_EINVAL;
    uint32_t period = (1000000u + frequency_hz / 2u) / frequency_hz;
    uint32_t high = (uint32_t)(((uint64_t)period * duty + 32767u) / 65535u);
    port_irq_t irq = port_irq_save();
    struct wave *w = wave_of((uint8_t)(pin + 1u));
    bool runs = w != NULL;
    if (!runs)
        w = wave_of(0);
    if (w != NULL) {
        w->high = high < period ? high : period;
        w->low = period - w->high;
        if (!runs) {
            (void)takt_gpio_mode(pin, TAKT_GPIO_OUTPUT);
            w->pin = (uint8_t)(pin + 1u);
            w->is_high = false;
            w->alarm.fn = alarm_edge;
            avr_alarm_set(&w->alarm, port_now());
        }
    }
    port_irq_restore(irq);
    return w != NULL ? TAKT_OK : TAKT_EINVAL;
}

void avr_soft_release(uint8_t pin)
{
    struct wave *w = wave_of((uint8_t)(pin + 1u));
    if (w == NULL)
        return;
    w->pin = 0;
    avr_alarm_off(&w->alarm);
}
