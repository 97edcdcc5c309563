/*
 * Vector table of the STM32F051 (RM0091 12.1.3). A handler is any function named isr_<source>;
 * without one, the interrupt is a fatal error.
 */
#include <takt/fact.h>

    .syntax unified
    .cpu cortex-m0
    .thumb

    .section .text.takt_unhandled_isr, "ax", %progbits
    .balign 4
    .global takt_unhandled_isr
    .type takt_unhandled_isr, %function
    .thumb_func
takt_unhandled_isr:
    fact    "last"
    mrs r0, ipsr
    bl takt_unhandled

    .macro handler name
    .weak isr_\name
    .thumb_set isr_\name, takt_unhandled_isr
    .word isr_\name
    .endm

    /* The port's, which are weak where others may replace them: else the link script has them. */
    .macro port_handler name
    .weak isr_\name
    .word isr_\name
    .endm

    .section .rodata.dropped, "a", %progbits /* says that the build is to make this stack */
    .weak takt_stack_isr
    .word takt_stack_isr

    .section .vectors, "a", %progbits
    .balign 4
    .global takt_vectors
takt_vectors:
    .word __takt_isr_stack_end
    .word takt_reset
    handler nmi
    handler hardfault
    .space 7 * 4
    port_handler svcall
    .space 2 * 4
    port_handler pendsv
    handler systick
    .irp source, wwdg, pvd, rtc, flash, rcc, exti0_1, exti2_3, exti4_15, tsc, dma1, dma2_3, \
        dma4_5, adc, tim1, tim1_cc, tim2, tim3, tim6, reserved18, tim14, tim15, tim16, tim17, i2c1, i2c2, \
        spi1, spi2, usart1, usart2
    handler \source
    .endr
    .space 4
    handler cec
