/*
 * The same state as libraries for the chip let one write it: a function for every kind of thing,
 * called with what is wanted; registers are changed bit by bit.
 */
#include <stdbool.h>

#include "state.h"

struct pin {
    uint8_t bit, mode, pull, function;
    bool open_drain, fast;
};

static void field(stm32f0_reg *reg, unsigned shift, uint32_t mask, uint32_t value)
{
    *reg = (*reg & ~(mask << shift)) | value << shift;
}

static void pin_init(struct stm32f0_gpio *port, const struct pin *pin)
{
    field(&port->moder, pin->bit * 2u, 3u, pin->mode);
    field(&port->otyper, pin->bit, 1u, pin->open_drain);
    field(&port->ospeedr, pin->bit * 2u, 3u, pin->fast ? 3u : 0u);
    field(&port->pupdr, pin->bit * 2u, 3u, pin->pull);
    field(&port->afr[pin->bit / 8u], pin->bit % 8u * 4u, 15u, pin->function);
}

static void clock_init(void)
{
    field(&STM32F0_FLASH->acr, 0, 0x17u, 0x11u);
    field(&STM32F0_RCC->cfgr, 18, 15u, 10u);
    STM32F0_RCC->cr |= STM32F0_CR_PLL_ON;
    field(&STM32F0_RCC->cfgr, 0, 3u, STM32F0_CFGR_SWITCH_PLL);
}

static void blocks_enable(uint32_t ahb, uint32_t apb1, uint32_t apb2)
{
    STM32F0_RCC->ahbenr |= ahb;
    STM32F0_RCC->apb1enr |= apb1;
    STM32F0_RCC->apb2enr |= apb2;
}

static void pins_init(void)
{
    static const struct pin a[] = {
        {9, 2, 0, 1, false, false}, {10, 2, 1, 1, false, false}, {4, 1, 0, 0, false, false},
        {5, 2, 0, 0, false, true},  {6, 2, 0, 0, false, true},   {7, 2, 0, 0, false, true},
        {8, 0, 1, 0, false, false},
    };
    static const struct pin b[] = {
        {0, 2, 0, 1, false, false},
        {1, 2, 0, 1, false, false},
        {6, 2, 1, 1, true, false},
        {7, 2, 1, 1, true, false},
    };
    static const struct pin c[] = {
        {0, 3, 0, 0, false, false}, {1, 3, 0, 0, false, false}, {2, 3, 0, 0, false, false},
        {3, 3, 0, 0, false, false}, {4, 3, 0, 0, false, false}, {5, 3, 0, 0, false, false},
        {8, 1, 0, 0, false, false}, {9, 1, 0, 0, false, false},
    };
    for (unsigned i = 0; i < sizeof a / sizeof a[0]; i++)
        pin_init(GPIO(0), &a[i]);
    for (unsigned i = 0; i < sizeof b / sizeof b[0]; i++)
        pin_init(GPIO(1), &b[i]);
    for (unsigned i = 0; i < sizeof c / sizeof c[0]; i++)
        pin_init(GPIO(2), &c[i]);
}

static void timer_base(struct stm32f0_timer *timer, uint32_t divisor, uint32_t top)
{
    timer->psc = divisor - 1u;
    timer->arr = top;
    timer->egr = 1u;
    timer->sr = 0;
}

static void timer_pwm(struct stm32f0_timer *timer, unsigned channel, uint32_t width)
{
    field(&timer->ccmr[channel / 2u], channel % 2u * 8u, 0xFFu, 0x68u);
    timer->ccr[channel] = width;
    timer->ccer |= 1u << channel * 4u;
}

static void timer_on(struct stm32f0_timer *timer, bool preload)
{
    timer->cr1 |= preload ? 0x81u : 1u;
}

static void usart_init(struct stm32f0_usart *usart, uint32_t baud)
{
    usart->brr = (STM32F0_SYS_HZ + baud / 2u) / baud;
    usart->cr1 |= 0xCu;
    usart->cr1 |= 0x20u;
    usart->cr1 |= 1u;
}

static void adc_init(void)
{
    field(&STM32F0_ADC->cfgr2, 30, 3u, 2u);
    field(&STM32F0_ADC->smpr, 0, 7u, 2u);
}

static void i2c_init(struct stm32f0_i2c *i2c, uint32_t timing)
{
    STM32F0_RCC->cfgr3 |= STM32F0_CFGR3_I2C1_SYSCLK;
    i2c->timingr = timing;
    i2c->cr1 |= 1u;
}

static void spi_init(struct stm32f0_spi *spi, unsigned rate, unsigned bits)
{
    field(&spi->cr1, 3, 7u, rate);
    field(&spi->cr2, 8, 15u, bits - 1u);
    spi->cr2 |= 1u << 12;
    spi->cr1 |= 0x304u;
    spi->cr1 |= 0x40u;
}

static void line_init(unsigned line, unsigned port)
{
    field(&STM32F0_SYSCFG->exticr[line / 4u], line % 4u * 4u, 15u, port);
    STM32F0_EXTI->rtsr |= 1u << line;
    STM32F0_EXTI->imr |= 1u << line;
}

static void irq_enable(unsigned irq, uint32_t priority)
{
    field(&NVIC_IPR[irq / 4u], irq % 4u * 8u + 6u, 3u, priority);
    NVIC_ISER = 1u << irq;
}

void init(void)
{
    clock_init();
    blocks_enable(7u << 17, STM32F0_APB1_TIM2 | STM32F0_APB1_TIM3 | STM32F0_APB1_I2C1,
                  STM32F0_APB2_SYSCFG | STM32F0_APB2_ADC | STM32F0_APB2_SPI1 |
                      STM32F0_APB2_USART1);
    pins_init();
    timer_base(STM32F0_TIM2, 48, 0xFFFFFFFFu);
    STM32F0_TIM2->dier |= 2u;
    timer_on(STM32F0_TIM2, false);
    timer_base(STM32F0_TIM3, 2, PWM_TOP);
    timer_pwm(STM32F0_TIM3, 2, PWM_TOP / 2u);
    timer_pwm(STM32F0_TIM3, 3, PWM_TOP / 4u);
    timer_on(STM32F0_TIM3, true);
    usart_init(STM32F0_USART1, 115200);
    adc_init();
    i2c_init(STM32F0_I2C1, TIMING);
    spi_init(STM32F0_SPI1, 3, 8);
    line_init(8, 0);
    irq_enable(7, 0);
    irq_enable(15, 1);
    irq_enable(27, 2);
}
