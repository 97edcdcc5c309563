/*
 * AVR: switching threads, starting them, idling, interrupts and preemption.
 *
 * Handlers have a stack of their own, to which port_isr changes when it has saved, on the stack of
 * the thread it interrupts, what a C function may use:
 *
 *      r30 r31 r0 SREG r1 r18 ... r27         17 bytes with the return address
 *
 * Every switch is a call of port_switch(). A thread is preempted by calling takt_preempt() on its
 * own stack where its handler would return: interrupts are off from there to the reti, and after a
 * reti the thread executes an instruction before the next interrupt. So no preemption comes on top
 * of another.
 *
 * Handlers run with interrupts off unless they switch them on; then they nest on the same stack,
 * and only the outermost one preempts.
 */
#include <avr/io.h>

#include <takt/fact.h>

#ifndef TAKT_ONE_THREAD /* takt/config.h: of the build */
#define TAKT_ONE_THREAD 0
#endif

#define GPIOR    _SFR_IO_ADDR(GPIOR0)
#define SP_LOW   _SFR_IO_ADDR(SPL)
#define SP_HIGH  _SFR_IO_ADDR(SPH)
#define STATUS   _SFR_IO_ADDR(SREG)
#define IN_ISR   0
#define ON_STACK 1
#define REQUEST  2
#define SAVED    18 /* of a thread that has left */
#define CURRENT  1  /* of takt_core; in recursions.py, too */
#define FATAL_STACK 1
#define FATAL_ISR_STACK 8
#define PLACES   8

    .global port_frame_bytes /* an interrupt, on whatever stack it finds */
    .equ port_frame_bytes, 17
    .global port_preempt_bytes /* beside takt_preempt() and what it calls */
    .equ port_preempt_bytes, 2

    .macro function name
    .section .text.\name, "ax", @progbits
    .global \name
    .type \name, @function
\name:
    .endm

    .section .bss.port_sp, "aw", @nobits
    .global port_sp
    .type port_sp, @object
    .size port_sp, 2
port_sp:
    .space 2

/* Interrupts are off. */
    .macro note where
    .if !TAKT_ONE_THREAD
    lds     r24, TCNT1L
    lds     r25, TCNT1H
    sts     \where, r24
    sts     \where + 1, r25
    .endif
    .endm

    .irp    name, port_entered, port_resumed
    .section .bss.\name, "aw", @nobits
    .global \name
    .type \name, @object
    .size \name, 2
\name:
    .space 2
    .endr

/* void *port_stack_init(char *stack, char *end, void (*entry)(void *), void *arg): as port_switch()
 * would have left it, r2 = entry, r4 = arg. */
    function port_stack_init
    movw    r30, r22
    ldi     r24, lo8(pm(port_thread_entry))
    ldi     r25, hi8(pm(port_thread_entry))
    st      -Z, r24
    st      -Z, r25
    st      -Z, r20
    st      -Z, r21
    st      -Z, r18
    st      -Z, r19
    sbiw    r30, SAVED - 4 + 1
    movw    r24, r30
    ret
    .size port_stack_init, . - port_stack_init

    function port_thread_entry
    fact    "switches"
    sei
    movw    r24, r4
    movw    r30, r2
    icall
    call    takt_thread_exit
    .size port_thread_entry, . - port_thread_entry

/* A function of a recursion goes here where there is too little stack for another level
 * (tools/takt/build/recursions.py). */
    function takt_too_deep
    fact    "last"
    fact    "too deep"
    ldi     r24, FATAL_STACK
    lds     r22, takt_core + CURRENT
    cpi     r22, PLACES
    brlo    1f
    ldi     r24, FATAL_ISR_STACK /* constructors */
1:
    clr     r25
    clr     r20
    clr     r21
    jmp     takt_fatal
    .size takt_too_deep, . - takt_too_deep

/* void port_switch(void **save, void *load), then void port_start(void *sp): what main had is gone.
 */
    function port_switch
    fact    "switches"
    .if !TAKT_ONE_THREAD
    .irp    n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29
    push    r\n
    .endr
    movw    r30, r24
    in      r18, SP_LOW
    in      r19, SP_HIGH
    st      Z, r18
    std     Z+1, r19
    movw    r24, r22
    .endif
    .global port_start
port_start:
    fact    "switches"
    out     SP_HIGH, r25
    out     SP_LOW, r24
    cbi     GPIOR, ON_STACK
    .irp    n, 29, 28, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2
    pop     r\n
    .endr
    ret
    .size port_switch, . - port_switch

/* uint32_t port_on_isr_stack(work, irq, why). */
    function port_on_isr_stack
    fact    "calls isr stack"
    movw    r30, r24
    mov     r24, r22
    movw    r22, r20
    movw    r20, r18
    in      r18, SP_LOW
    in      r19, SP_HIGH
    sts     port_sp, r18
    sts     port_sp + 1, r19
    sbi     GPIOR, ON_STACK
    ldi     r18, lo8(__takt_isr_stack_end - 1)
    ldi     r19, hi8(__takt_isr_stack_end - 1)
    out     SP_HIGH, r19
    out     SP_LOW, r18
    icall
    lds     r18, port_sp
    lds     r19, port_sp + 1
    out     SP_HIGH, r19
    out     SP_LOW, r18
    cbi     GPIOR, ON_STACK
    ret
    .size port_on_isr_stack, . - port_on_isr_stack

/* void port_switch_from_isr(void) */
    function port_switch_from_isr
    sbi     GPIOR, REQUEST
    ret
    .size port_switch_from_isr, . - port_switch_from_isr

/* From a vector: r30 and r31 are saved and have the handler's address. */
    function port_isr
    fact    "calls isr stack"
    push    r0
    in      r0, STATUS
    push    r0
    push    r1
    clr     r1
    .irp    n, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
    push    r\n
    .endr
    note    port_entered
    sbic    GPIOR, IN_ISR
    rjmp    2f
    sbi     GPIOR, IN_ISR
    sbic    GPIOR, ON_STACK
    rjmp    3f
    in      r24, SP_LOW
    in      r25, SP_HIGH
    sts     port_sp, r24
    sts     port_sp + 1, r25
    ldi     r24, lo8(__takt_isr_stack_end - 1)
    ldi     r25, hi8(__takt_isr_stack_end - 1)
    out     SP_HIGH, r25
    out     SP_LOW, r24
    icall
    cli
    lds     r24, port_sp
    lds     r25, port_sp + 1
    out     SP_HIGH, r25
    out     SP_LOW, r24
    cbi     GPIOR, IN_ISR
    .if !TAKT_ONE_THREAD
    sbis    GPIOR, REQUEST
    rjmp    1f
    cbi     GPIOR, REQUEST
    call    takt_preempt
    note    port_resumed
    .endif
1:  .irp    n, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 1, 0
    pop     r\n
    .endr
    out     STATUS, r0
    pop     r0
    pop     r31
    pop     r30
    reti
2:  icall
    cli
    rjmp    1b
3:  icall
    cli
    cbi     GPIOR, IN_ISR
    rjmp    1b
    .size port_isr, . - port_isr

/* For port_set_first(): r24, and r25 is lost. */
    function port_set_first
    mov     r25, r24
    andi    r24, 0x0F
    breq    1f
    ldi     r24, 0
    rjmp    2f
1:  swap    r25
    ldi     r24, 4
2:  sbrc    r25, 0
    ret
    inc     r24
    sbrc    r25, 1
    ret
    inc     r24
    sbrc    r25, 2
    ret
    inc     r24
    ret
    .size port_set_first, . - port_set_first

/* void port_idle(void): after sei the sleep is executed before any interrupt. */
    function port_idle
    fact    "idle"
    ldi     r24, 1
    out     _SFR_IO_ADDR(SMCR), r24
    sei
    sleep
    cli
    ret
    .size port_idle, . - port_idle

/* void port_init(void): the clock runs since reset, in programs that have it. */
    function port_init
    ret
    .size port_init, . - port_init

/* void port_halt(void) */
    function port_halt
    cli
    ldi     r24, 1
    out     _SFR_IO_ADDR(SMCR), r24
    sleep
    rjmp    port_halt
    .size port_halt, . - port_halt

/* A vector without a handler, where faults are not told (fault.c). */
    function port_unhandled
    fact    "last"
    clr     r1
    jmp     takt_unhandled
    .size port_unhandled, . - port_unhandled
