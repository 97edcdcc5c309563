/*
 * Vector table of the RP2040 (data sheet 2.3.2). A handler is any function named isr_<source>;
 * without one, the interrupt is a fatal error.
 */
#include <takt/fact.h>

    .syntax unified
    .cpu cortex-m0plus
    .thumb

    .section .text.takt_unhandled_isr, "ax", %progbits
    .balign 4
    .global takt_unhandled_isr
    .type takt_unhandled_isr, %function
    .thumb_func
takt_unhandled_isr:
    fact    "last"
    ldr r1, =takt_unhandled
    mrs r0, ipsr
    bx r1
    .pool

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

    /* What flash begins with: to takt_reset(). */
    .section .reset.vectors, "a", %progbits
    .balign 4
    .word __takt_isr_stack_end
    .word takt_reset

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
    .irp source, timer0, timer1, timer2, timer3, pwm_wrap, usbctrl, xip, pio0_0, pio0_1, pio1_0, pio1_1, \
        dma0, dma1, io_bank0, io_qspi, sio_proc0, sio_proc1, clocks, spi0, spi1, uart0, uart1, \
        adc_fifo, i2c0, i2c1, rtc
    handler \source
    .endr
