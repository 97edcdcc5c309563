/*
 * Cortex-M0/M0+: preempting threads in programs with kernel/dispatch.c, instead of what preempt.S has.
 *
 * Preemption makes the interrupted thread call takt_preempt(): PendSV, the last handler to run,
 * puts a made-up exception frame below the thread's real one and returns through it:
 *
 *      psp -> [frame: pc = port_preempted]  [frame: the thread as it was interrupted]
 *
 * port_preempted runs in thread mode with the real frame on top of its stack; when the thread's
 * turn comes again it goes back through SVC, whose handler drops SVC's own frame and so returns
 * into the real one. Another PendSV makes no further frame, for the stack would grow with each: until
 * the dispatcher has picked somebody, interrupts are off, or the CPU is on the interrupts' stack, where
 * PendSV's own frame then is, too. An interrupt may hit exactly between enabling interrupts and the
 * svc; a PendSV then finds pc = port_resume and reuses the frame it finds, because the thread has
 * nothing left to save there. tests/models/switch.pml checks all that.
 */
#include "../arm_function.h"
#include "uses.h"
#include "layout.h"

#if TAKT_HAS_DISPATCHER

    .syntax unified
    .cpu cortex-m0
    .thumb

    .equ SYSTICK_CURRENT, 0xE000E018

    .global port_preempt_bytes /* takt_preempt() and what it calls are all */
    .equ port_preempt_bytes, 0

    function isr_pendsv
    mov     r0, lr
    lsrs    r0, #3          /* carry: the frame is on PSP */
    bcc     2f
    ldr     r3, =takt_core
    ldrb    r1, [r3, #CURRENT]
    cmp     r1, #32
    bhs     2f              /* idle: who is there looks by itself */
    mrs     r0, psp
    ldr     r1, [r0, #24]
    ldr     r2, =port_resume
    cmp     r1, r2
    beq     1f
    subs    r0, #32
    msr     psp, r0
1:  movs    r2, #1
    lsls    r2, #24         /* xPSR: Thumb, thread mode, no alignment word */
    str     r2, [r0, #28]
    ldr     r1, =port_preempted
    str     r1, [r0, #24]
    cpsid   i               /* last, so that other handlers can still come in before */
2:  bx      lr
    .balign 4
    .pool
    .size isr_pendsv, . - isr_pendsv

/* Not a function one may call: PendSV returns here. No Thumb bit in its address, as in a frame. */
    .section .text.port_preempted, "ax", %progbits
    .balign 4
    .global port_preempted
port_preempted:
    bl      takt_preempt    /* interrupts are off before and after */
    cpsie   i
    .global port_resume
port_resume:
    svc     0
    .balign 4
    .pool
    .size port_preempted, . - port_preempted

    function isr_svcall
    mrs     r0, psp
    adds    r0, #32
    msr     psp, r0
#ifdef PORT_FINE
    ldr     r1, =port_resumed
    ldr     r0, =SYSTICK_CURRENT
    ldr     r0, [r0]
    str     r0, [r1]
#endif
    bx      lr
    .balign 4
    .pool
    .size isr_svcall, . - isr_svcall

#ifdef PORT_FINE
    .section .bss.port_resumed, "aw", %nobits
    .balign 4
    .global port_resumed
port_resumed:
    .space  4
#endif

#endif
