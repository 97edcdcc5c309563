/*
 * From reset to main, in pieces that the link script puts into order (avr-libc: .init0 to .init9):
 * what copies and clears memory and calls constructors is libgcc's, and there if need be. Runs on
 * the interrupts' stack, which main keeps until takt_start().
 */
#include <avr/io.h>

    .section .init0, "ax", @progbits
    .global takt_reset
    .type takt_reset, @function
takt_reset:
    clr     r1
    out     _SFR_IO_ADDR(SREG), r1
    ldi     r28, lo8(__takt_isr_stack_end - 1)
    ldi     r29, hi8(__takt_isr_stack_end - 1)
    out     _SFR_IO_ADDR(SPH), r29
    out     _SFR_IO_ADDR(SPL), r28
    sbi     _SFR_IO_ADDR(GPIOR0), 1 /* PORT_ON_ISR_STACK */

    .section .init9, "ax", @progbits
    call    main
    ldi     r24, 7 /* TAKT_FATAL_START, TAKT_NOBODY */
    ldi     r22, 0xFF
    clr     r20
    clr     r21
    jmp     takt_main_returned

    .section .rodata.dropped, "a", @progbits /* says that the build is to make this stack */
    .weak takt_stack_isr
    .word takt_stack_isr
