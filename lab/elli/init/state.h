/*
 * The start state of a node like the Ell-duino, register by register in order: 48 MHz, the clocks
 * of all blocks used, pins, USART1, TIM2 as microsecond clock, PWM on two outputs of TIM3, ADC,
 * I2C1, SPI1, an interrupt line, priorities. STORE(register, value) and ADD(register, bits).
 */
#ifndef INIT_STATE_H
#define INIT_STATE_H

#include "../../../drivers/stm32f0/stm32f0.h"

#define GPIO(n)  ((struct stm32f0_gpio *)(0x48000000u + 0x400u * (n)))
#define NVIC_ISER (*(stm32f0_reg *)0xE000E100u)
#define NVIC_IPR ((stm32f0_reg *)0xE000E400u)

#define PLL      (10u << 18) /* x 12 */
#define USART_DIVISOR 417u
#define PWM_TOP  48979u
#define TIMING   0xB0420F13u

#define START_STATE(STORE, ADD)                                                                    \
    STORE(STM32F0_FLASH->acr, 0x11u)                                                               \
    STORE(STM32F0_RCC->cfgr, PLL)                                                                  \
    ADD(STM32F0_RCC->cr, STM32F0_CR_PLL_ON)                                                        \
    STORE(STM32F0_RCC->cfgr, PLL | STM32F0_CFGR_SWITCH_PLL)                                        \
    ADD(STM32F0_RCC->ahbenr, 7u << 17)                                                             \
    ADD(STM32F0_RCC->apb2enr, STM32F0_APB2_SYSCFG | STM32F0_APB2_ADC | STM32F0_APB2_SPI1 |         \
                                  STM32F0_APB2_USART1)                                             \
    ADD(STM32F0_RCC->apb1enr, STM32F0_APB1_TIM2 | STM32F0_APB1_TIM3 | STM32F0_APB1_I2C1)           \
    ADD(STM32F0_RCC->cfgr3, STM32F0_CFGR3_I2C1_SYSCLK)                                             \
    STORE(GPIO(0)->moder, 0x2828A900u)                                                             \
    STORE(GPIO(0)->ospeedr, 0x0C00FC00u)                                                           \
    STORE(GPIO(0)->pupdr, 0x24110000u)                                                             \
    STORE(GPIO(0)->afr[1], 0x110u)                                                                 \
    STORE(GPIO(1)->moder, 0xA00Au)                                                                 \
    STORE(GPIO(1)->otyper, 0xC0u)                                                                  \
    STORE(GPIO(1)->pupdr, 0x5000u)                                                                 \
    STORE(GPIO(1)->afr[0], 0x11000011u)                                                            \
    STORE(GPIO(2)->moder, 0x50FFFu)                                                                \
    STORE(STM32F0_TIM2->psc, 47u)                                                                  \
    STORE(STM32F0_TIM2->arr, 0xFFFFFFFFu)                                                          \
    STORE(STM32F0_TIM2->egr, 1u)                                                                   \
    STORE(STM32F0_TIM2->sr, 0u)                                                                    \
    STORE(STM32F0_TIM2->dier, 2u)                                                                  \
    STORE(STM32F0_TIM2->cr1, 1u)                                                                   \
    STORE(STM32F0_TIM3->psc, 1u)                                                                   \
    STORE(STM32F0_TIM3->arr, PWM_TOP)                                                              \
    STORE(STM32F0_TIM3->ccmr[1], 0x6868u)                                                          \
    STORE(STM32F0_TIM3->ccr[2], PWM_TOP / 2u)                                                      \
    STORE(STM32F0_TIM3->ccr[3], PWM_TOP / 4u)                                                      \
    STORE(STM32F0_TIM3->ccer, 0x1100u)                                                             \
    STORE(STM32F0_TIM3->egr, 1u)                                                                   \
    STORE(STM32F0_TIM3->cr1, 0x81u)                                                                \
    STORE(STM32F0_USART1->brr, USART_DIVISOR)                                                      \
    STORE(STM32F0_USART1->cr1, 0x2Du)                                                              \
    STORE(STM32F0_ADC->cfgr2, 2u << 30)                                                            \
    STORE(STM32F0_ADC->smpr, 2u)                                                                   \
    STORE(STM32F0_I2C1->timingr, TIMING)                                                           \
    STORE(STM32F0_I2C1->cr1, 1u)                                                                   \
    STORE(STM32F0_SPI1->cr2, 0x1700u)                                                              \
    STORE(STM32F0_SPI1->cr1, 0x35Cu)                                                               \
    STORE(STM32F0_SYSCFG->exticr[2], 0u)                                                           \
    STORE(STM32F0_EXTI->rtsr, 1u << 8)                                                             \
    ADD(STM32F0_EXTI->imr, 1u << 8)                                                                \
    STORE(NVIC_IPR[3], 1u << 30)                                                                   \
    STORE(NVIC_IPR[6], 2u << 30)                                                                   \
    STORE(NVIC_ISER, 1u << 7 | 1u << 15 | 1u << 27)

/* Brings the chip into the state. Each file of this folder has one. */
void init(void);

#endif
