/*
 * PWM of the STM32F0 (RM0091 chapters 17, 18, 19, 20): timers that count 0..arr at the clock
 * divided by psc + 1; an output is high while the counter is below its compare value, so arr + 1
 * is always high. The smallest divisor that lets the period fit in 16 bits gives the finest steps.
 * What is written counts from the next period on.
 *
 * TIM2 is the kernel's clock; pins that only it could drive have no PWM.
 */
#include <takt/gpio.h>
#include <takt/pwm.h>

#include "../gpio/stm32f0_pins.h"
#include "../stm32f0/start.h"

#define STEPS_MAX 65535u /* arr + 1, itself a possible compare value */
#define HZ_MIN    8u
#define HZ_MAX    (STM32F0_SYS_HZ / 2u)

#define HOLD      2u    /* cr1: no new period takes over what is being written */
#define MODE_PWM1 0x68u /* ccmr, a byte a channel: high while below, from the next period on */

STM32F0_START_ADD(pwm1, 20, STM32F0_RCC->apb1enr, STM32F0_APB1_TIM3 | STM32F0_APB1_TIM14);
STM32F0_START_ADD(pwm2, 20, STM32F0_RCC->apb2enr,
                  STM32F0_APB2_TIM1 | STM32F0_APB2_TIM15 | STM32F0_APB2_TIM16 | STM32F0_APB2_TIM17);

enum timer { TIM1, TIM3, TIM14, TIM15, TIM16, TIM17 };

static struct stm32f0_timer *const timers[] = {STM32F0_TIM1,  STM32F0_TIM3,  STM32F0_TIM14,
                                               STM32F0_TIM15, STM32F0_TIM16, STM32F0_TIM17};

static const struct output {
    uint8_t chip_pin, function; /* of the pin */
    uint8_t timer, channel;     /* 0 to 3 */
} outputs[] = {
    {STM32F0_PIN('A', 2), 0, TIM15, 0}, {STM32F0_PIN('A', 3), 0, TIM15, 1},
    {STM32F0_PIN('A', 4), 4, TIM14, 0}, {STM32F0_PIN('A', 6), 5, TIM16, 0},
    {STM32F0_PIN('A', 7), 5, TIM17, 0}, {STM32F0_PIN('A', 8), 2, TIM1, 0},
    {STM32F0_PIN('A', 11), 2, TIM1, 3}, {STM32F0_PIN('B', 0), 1, TIM3, 2},
    {STM32F0_PIN('B', 1), 1, TIM3, 3},  {STM32F0_PIN('C', 8), 0, TIM3, 2},
    {STM32F0_PIN('C', 9), 0, TIM3, 3},
};

/* NULL: the pin has none. */
static const struct output *output_of(uint8_t pin)
{
    const struct output *const end = outputs + sizeof outputs / sizeof outputs[0];
    for (const struct output *o = outputs; pin < stm32f0_pin_count && o != end; o++)
        if (o->chip_pin == stm32f0_pins[pin])
            return o;
    return NULL;
}

/* Sets the period of a timer, scaling its compare values so that duties stay. Returns its steps. */
static uint32_t period_set(struct stm32f0_timer *timer, uint32_t frequency_hz)
{
    uint32_t cycles = (STM32F0_SYS_HZ + frequency_hz / 2u) / frequency_hz;
    uint32_t divisor = (cycles + STEPS_MAX - 1u) / STEPS_MAX;
    uint32_t steps = (cycles + divisor / 2u) / divisor, before = timer->arr + 1u;
    if (steps > STEPS_MAX)
        steps = STEPS_MAX;
    timer->psc = divisor - 1u;
    if (steps == before)
        return steps;
    timer->arr = steps - 1u;
    for (unsigned channel = 0; channel < 4; channel++) {
        uint32_t width = timer->ccr[channel]; /* 0 where the timer has no such channel */
        if (width != 0)
            timer->ccr[channel] = width * steps / before;
    }
    return steps;
}

/* The output is on from now: first the pin, so that the first pulse is whole. */
static void output_start(struct stm32f0_timer *timer, const struct output *o)
{
    unsigned channel = o->channel, shift = (channel & 1u) * 8u;
    stm32f0_reg *mode = &timer->ccmr[channel >> 1];
    *mode = (*mode & ~(0xFFu << shift)) | MODE_PWM1 << shift;
    timer->ccer |= 1u << channel * 4u;
    stm32f0_pin_set(o->chip_pin, STM32F0_ALTERNATE, STM32F0_NO_PULL, o->function);
    if (!(timer->cr1 & STM32F0_TIMER_ON)) {
        timer->egr = STM32F0_TIMER_UPDATE;
        timer->bdtr = STM32F0_TIMER_OUTPUTS; /* nothing to those that have no such register */
        timer->cr1 = STM32F0_TIMER_ON | STM32F0_TIMER_PRELOAD;
    }
}

int takt_pwm_write(uint8_t pin, uint32_t frequency_hz, uint16_t duty)
{
    const struct output *o = output_of(pin);
    if (o == NULL || frequency_hz < HZ_MIN || frequency_hz > HZ_MAX)
        return TAKT_EINVAL;

    struct stm32f0_timer *timer = timers[o->timer];
    timer->cr1 |= HOLD;
    uint32_t steps = period_set(timer, frequency_hz);
    timer->ccr[o->channel] = (duty * steps + 32767u) / 65535u;
    timer->cr1 &= ~(uint32_t)HOLD;
    output_start(timer, o);
    return TAKT_OK;
}

int takt_pwm_stop(uint8_t pin)
{
    return takt_gpio_mode(pin, TAKT_GPIO_OUTPUT);
}
