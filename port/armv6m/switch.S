/*
 * Cortex-M0/M0+: switching threads, starting them, idling.
 *
 * Threads run in thread mode on PSP, handlers on MSP. Every switch is a voluntary one, a call of
 * port_switch() that saves the callee-saved registers, see frame.h.
 *
 * preempt.S is what preempts them. It may mark a thread by bit 0 of the stack pointer saved; the
 * CPU ignores it.
 */
#include "../arm_function.h"
#include "frame.h"
#include "layout.h"

    .syntax unified
    .cpu cortex-m0
    .thumb
    .text

    .equ SHPR3, 0xE000ED20

/* void port_init(void): PendSV below everything. SVC is above everything from reset on: it must
 * never be refused. */
    function port_init
    ldr     r1, =SHPR3
    movs    r0, #0xC0
    lsls    r0, #16
    str     r0, [r1]        /* SysTick's is not used */
    bx      lr
    .balign 4
    .pool
    .size port_init, . - port_init

/* void port_switch(void **save, void *load): for sched.c and dispatch.c; sem.S has its own. */
    function port_switch
    fact    "switches"
    push    {r4-r7, lr}
    push_frame
    mov     r2, sp
    str     r2, [r0]
    mov     sp, r1
    pop_frame
    .size port_switch, . - port_switch

/* void port_start(void *sp): to thread mode on PSP, then as the end of port_switch(). What main had
 * on the main stack is gone: handlers begin at its end. */
    function port_start
    fact    "switches"
#if PORT_GUARD_BYTES
    mov     r4, r0
    bl      port_guards
    mov     r0, r4
#endif
    msr     psp, r0
    movs    r1, #2
    msr     control, r1
    isb
    ldr     r0, =__takt_isr_stack_end
    msr     msp, r0
    pop_frame
    .balign 4
    .pool
    .size port_start, . - port_start

/* A function of a recursion goes here where there is too little stack for another level
 * (tools/takt/build/recursions.py). */
    function takt_too_deep
    fact    "last"
    fact    "too deep"
    ldr     r1, =takt_core
    ldrb    r1, [r1, #CURRENT]
    movs    r0, #FATAL_STACK
    cmp     r1, #64
    blo     1f
    movs    r0, #FATAL_ISR_STACK /* constructors */
1:  movs    r2, #0
    bl      takt_fatal
    .balign 4
    .pool
    .size takt_too_deep, . - takt_too_deep

/* uint32_t port_on_isr_stack(work, irq, why): the main stack's pointer is where port_start() put it
 * whenever a thread runs. */
    function port_on_isr_stack
    fact    "calls isr stack"
    push    {r4, lr}
    mov     r3, r0
    movs    r0, #0
    msr     control, r0
    isb
    mov     r0, r1
    mov     r1, r2
    blx     r3
    movs    r1, #2
    msr     control, r1
    isb
    pop     {r4, pc}
    .size port_on_isr_stack, . - port_on_isr_stack

#if PORT_LTO
    function port_frame
    fact    "switches"
    take_frame
    .size port_frame, . - port_frame
#endif

/* First instructions of a thread: r4 = entry, r5 = argument (port_stack_init). */
    function port_thread_entry
    fact    "switches"
    cpsie   i
    mov     r0, r5
    blx     r4
    bl      takt_thread_exit
    .size port_thread_entry, . - port_thread_entry

/* void port_idle(void): interrupts are off, so a pending one ends WFI without being taken; it is
 * taken between cpsie and cpsid. The isb makes sure of that on cores that recognise late. */
    function port_idle
    fact    "idle"
    dsb
    wfi
    cpsie   i
    isb
    cpsid   i
    bx      lr
    .size port_idle, . - port_idle
