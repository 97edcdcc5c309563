/*
 * For assembler: the start of a vector table, up to the chip's own interrupts. A handler is any
 * function named isr_<source>; without one, the interrupt is a fatal error.
 */
#include <takt/fact.h>

    .syntax unified
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
    handler memmanage /* this and the next two: ARMv7-M */
    handler busfault
    handler usagefault
    .space 4 * 4
    port_handler svcall
    handler debugmon
    .space 4
    port_handler pendsv
    handler systick
