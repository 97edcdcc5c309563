/*
 * Register blocks of the STM32F0 that Takt's drivers use, by the names of the reference manual
 * (RM0091), in lower case. Only what is used is named.
 *
 * A pin of the chip is port * 16 + bit: PA9 is 9, PB3 is 19, PF1 is 81.
 */
#ifndef TAKT_STM32F0_H
#define TAKT_STM32F0_H

#include <stddef.h>
#include <stdint.h>

typedef volatile uint32_t stm32f0_reg;

/* 3.5 flash */
struct stm32f0_flash {
    stm32f0_reg acr;
};
#define STM32F0_FLASH_PREFETCH  (1u << 4)
#define STM32F0_FLASH_ONE_WAIT  1u
#define STM32F0_CLOCK_ZERO_WAIT 24000000u /* the fastest without wait states */

/* 6.4 reset and clock control */
struct stm32f0_rcc {
    stm32f0_reg cr, cfgr, cir, apb2rstr, apb1rstr, ahbenr, apb2enr, apb1enr, bdcr, csr, ahbrstr;
    stm32f0_reg cfgr2, cfgr3, cr2;
};
enum stm32f0_rcc_bit {
    STM32F0_CR_HSI_ON = 1u << 0,
    STM32F0_CR_HSI_TRIM = 16u << 3, /* as after reset */
    STM32F0_CR_PLL_ON = 1u << 24,
    STM32F0_CFGR_SWITCH_PLL = 2u << 0,
    STM32F0_CFGR_RUNS_PLL = 2u << 2,
    STM32F0_CFGR_RUNS_MASK = 3u << 2,
    STM32F0_CFGR_PLL_X12 = 10u << 18, /* of HSI / 2 */
    STM32F0_CSR_LSI_ON = 1u << 0,
    STM32F0_CSR_FORGET = 1u << 24, /* what has reset the chip */
    STM32F0_CSR_IWDG_RESET = 1u << 29,
    STM32F0_CFGR3_I2C1_SYSCLK = 1u << 4,
    STM32F0_AHB_SRAM = 1u << 2,
    STM32F0_AHB_FLASH = 1u << 4,
    STM32F0_AHB_PORTS = 0x2Fu << 17, /* A B C D F */
    STM32F0_APB1_TIM2 = 1u << 0,
    STM32F0_APB1_TIM3 = 1u << 1,
    STM32F0_APB1_TIM14 = 1u << 8,
    STM32F0_APB1_SPI2 = 1u << 14,
    STM32F0_APB1_USART2 = 1u << 17,
    STM32F0_APB1_I2C1 = 1u << 21,
    STM32F0_APB1_I2C2 = 1u << 22,
    STM32F0_APB2_SYSCFG = 1u << 0,
    STM32F0_APB2_ADC = 1u << 9,
    STM32F0_APB2_TIM1 = 1u << 11,
    STM32F0_APB2_SPI1 = 1u << 12,
    STM32F0_APB2_USART1 = 1u << 14,
    STM32F0_APB2_TIM15 = 1u << 16,
    STM32F0_APB2_TIM16 = 1u << 17,
    STM32F0_APB2_TIM17 = 1u << 18,
};

/* 8.4 pins: two bits a pin in moder, ospeedr and pupdr, four in afr */
struct stm32f0_gpio {
    stm32f0_reg moder, otyper, ospeedr, pupdr, idr, odr, bsrr, lckr, afr[2], brr;
};
enum stm32f0_pin_mode {
    STM32F0_INPUT = 0,
    STM32F0_OUTPUT = 1,
    STM32F0_ALTERNATE = 2,
    STM32F0_ANALOG = 3,
    STM32F0_OPEN_DRAIN = 4, /* may be added to the two outputs: only pulls low */
};
enum stm32f0_pull {
    STM32F0_NO_PULL = 0,
    STM32F0_PULL_UP = 1,
    STM32F0_PULL_DOWN = 2,
};

/* 9.1 which port is behind an interrupt line: four bits a line */
struct stm32f0_syscfg {
    stm32f0_reg cfgr1, unused, exticr[4], cfgr2;
};

/* 11.3 interrupt lines of pins */
struct stm32f0_exti {
    stm32f0_reg imr, emr, rtsr, ftsr, swier, pr;
};

/* 13.12 ADC */
struct stm32f0_adc {
    stm32f0_reg isr, ier, cr, cfgr1, cfgr2, smpr, unused0[2], tr, unused1, chselr, unused2[5], dr;
};

/* 17 to 20 timers; each has a part of these */
struct stm32f0_timer {
    stm32f0_reg cr1, cr2, smcr, dier, sr, egr, ccmr[2], ccer, cnt, psc, arr, rcr, ccr[4], bdtr;
};
enum stm32f0_timer_bit {
    STM32F0_TIMER_ON = 1u << 0,       /* cr1 */
    STM32F0_TIMER_PRELOAD = 1u << 7,  /* cr1: arr is taken over at the end of a period */
    STM32F0_TIMER_UPDATE = 1u << 0,   /* dier, sr, egr */
    STM32F0_TIMER_COMPARE1 = 1u << 1, /* dier, sr, egr; 2 to 4 in the bits above */
    STM32F0_TIMER_OUTPUTS = 1u << 15, /* bdtr */
};

/* 23.4 independent watchdog */
struct stm32f0_iwdg {
    stm32f0_reg kr, pr, rlr, sr, winr;
};

/* 26.7 I2C */
struct stm32f0_i2c {
    stm32f0_reg cr1, cr2, oar1, oar2, timingr, timeoutr, isr, icr, pecr, rxdr, txdr;
};

/* 27.8 USART */
struct stm32f0_usart {
    stm32f0_reg cr1, cr2, cr3, brr, gtpr, rtor, rqr, isr, icr, rdr, tdr;
};

/* 28.9 SPI; frames of up to 8 bits must be moved by bytes, or two move at once */
struct stm32f0_spi {
    stm32f0_reg cr1, cr2, sr;
    union {
        volatile uint16_t dr16;
        volatile uint8_t dr8;
        stm32f0_reg dr;
    };
};

#define STM32F0_TIM2   ((struct stm32f0_timer *)0x40000000u)
#define STM32F0_TIM3   ((struct stm32f0_timer *)0x40000400u)
#define STM32F0_TIM14  ((struct stm32f0_timer *)0x40002000u)
#define STM32F0_IWDG   ((struct stm32f0_iwdg *)0x40003000u)
#define STM32F0_SPI2   ((struct stm32f0_spi *)0x40003800u)
#define STM32F0_USART2 ((struct stm32f0_usart *)0x40004400u)
#define STM32F0_I2C1   ((struct stm32f0_i2c *)0x40005400u)
#define STM32F0_I2C2   ((struct stm32f0_i2c *)0x40005800u)
#define STM32F0_SYSCFG ((struct stm32f0_syscfg *)0x40010000u)
#define STM32F0_EXTI   ((struct stm32f0_exti *)0x40010400u)
#define STM32F0_ADC    ((struct stm32f0_adc *)0x40012400u)
#define STM32F0_TIM1   ((struct stm32f0_timer *)0x40012C00u)
#define STM32F0_SPI1   ((struct stm32f0_spi *)0x40013000u)
#define STM32F0_USART1 ((struct stm32f0_usart *)0x40013800u)
#define STM32F0_TIM15  ((struct stm32f0_timer *)0x40014000u)
#define STM32F0_TIM16  ((struct stm32f0_timer *)0x40014400u)
#define STM32F0_TIM17  ((struct stm32f0_timer *)0x40014800u)
#define STM32F0_RCC    ((struct stm32f0_rcc *)0x40021000u)
#define STM32F0_FLASH  ((struct stm32f0_flash *)0x40022000u)
#define STM32F0_GPIOA  ((struct stm32f0_gpio *)0x48000000u)

/* Interrupt numbers (12.1.3) */
enum stm32f0_irq {
    STM32F0_IRQ_EXTI0_1 = 5,
    STM32F0_IRQ_EXTI2_3 = 6,
    STM32F0_IRQ_EXTI4_15 = 7,
    STM32F0_IRQ_TIM2 = 15,
    STM32F0_IRQ_TIM3 = 16,
    STM32F0_IRQ_I2C1 = 23,
    STM32F0_IRQ_I2C2 = 24,
    STM32F0_IRQ_SPI1 = 25,
    STM32F0_IRQ_SPI2 = 26,
    STM32F0_IRQ_USART1 = 27,
    STM32F0_IRQ_USART2 = 28,
};

#define STM32F0_SYS_HZ 48000000u /* what the board's start sets */

/* The ports' blocks follow one another at 1 KB. */
static inline struct stm32f0_gpio *stm32f0_port(uint8_t chip_pin)
{
    return (struct stm32f0_gpio *)((uintptr_t)STM32F0_GPIOA + (chip_pin >> 4) * 0x400u);
}

/* Clears a bit of sr of a timer: the rest is kept by writing ones. */
static inline void stm32f0_timer_clear(struct stm32f0_timer *timer, uint32_t bits)
{
    timer->sr = ~bits;
}

/*
 * Enables an interrupt at a priority, 0 (first) to 3. Interrupts off or the source silent: the
 * priority register of ARMv6-M is word-accessed only, so this is a read-modify-write.
 */
void stm32f0_irq_enable(enum stm32f0_irq irq, uint32_t priority);

/* Drops one that is pending; its source is silent by now. Either context. */
static inline void stm32f0_irq_drop(enum stm32f0_irq irq)
{
    *(stm32f0_reg *)0xE000E280u = 1u << irq;
}

/* Makes an interrupt pending as if its source had asked. Either context. */
static inline void stm32f0_irq_pend(enum stm32f0_irq irq)
{
    *(stm32f0_reg *)0xE000E200u = 1u << irq;
}

/* What a pin of the chip is. mode: enum stm32f0_pin_mode; `function` is of STM32F0_ALTERNATE, 0 to
 * 7. Either context. */
void stm32f0_pin_set(uint8_t chip_pin, unsigned mode, enum stm32f0_pull pull, unsigned function);

#endif
