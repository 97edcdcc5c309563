/*
 * Cortex-M0/M0+: switching threads, preempting them, and the three exceptions that takes.
 *
 * Threads run in thread mode on PSP, handlers on MSP. Every switch is a voluntary one, a call of
 * port_switch() that saves the callee-saved registers: r8-r11 below r4-r7 and the return address.
 *
 *      saved sp -> r8 r9 r10 r11 r4 r5 r6 r7 pc
 *
 * Preemption makes the interrupted thread call takt_preempt(): PendSV, the last handler to run,
 * puts a made-up exception frame below the thread's real one and returns through it:
 *
 *      psp -> [frame: pc = port_preempted]  [frame: the thread as it was interrupted]
 *
 * port_preempted runs in thread mode with the real frame on top of its stack; when the thread's
 * turn comes again it goes back through SVC, whose handler drops SVC's own frame and so returns
 * into the real one. While it is there (takt_core.preempted), PendSV makes no further frame, for the
 * stack would grow with each, but notes that port_preempted has to look again. An interrupt may hit
 * exactly between enabling interrupts and the svc; a PendSV then finds pc = port_resume and reuses
 * the frame it finds, because the thread has nothing left to save there. tests/models/switch.pml
 * checks all that.
 */
    .syntax unified
    .cpu cortex-m0
    .thumb
    .text

    /* struct takt_core */
    .equ PREEMPTED, 8
    .equ CURRENT, 12
    .equ FLAGS, 15
    .equ AGAIN, 2

    .macro function name
    .section .text.\name, "ax", %progbits
    .balign 4
    .global \name
    .type \name, %function
    .thumb_func
\name:
    .endm

    .macro pop_r8_to_r11
    pop     {r4-r7}
    mov     r8, r4
    mov     r9, r5
    mov     r10, r6
    mov     r11, r7
    .endm

/* All that a call must preserve on the stack, and sp changed. */
    .macro change
    push    {r4-r7, lr}
    mov     r4, r8
    mov     r5, r9
    mov     r6, r10
    mov     r7, r11
    push    {r4-r7}
    mov     r2, sp
    str     r2, [r0]
    mov     sp, r1
    .endm

/* void port_switch(void **save, void *load) */
    function port_switch
    change
    pop_r8_to_r11
    pop     {r4-r7, pc}
    .size port_switch, . - port_switch

/* void port_switch_mixed(void **save, void *load). Interrupts are on as soon as the stack has been
 * changed, for the other thread may have left by a fast switch (sem.S), after which it expects that and
 * 0 as the result of its call; who left by this one comes back to port_switched. */
    function port_switch_mixed
    push    {lr}
    ldr     r2, =port_switched
    mov     lr, r2
    change
    cpsie   i
    pop_r8_to_r11
    movs    r0, #0
    pop     {r4-r7, pc}
    .balign 4
    .pool
    .size port_switch_mixed, . - port_switch_mixed

    function port_switched
    cpsid   i
    pop     {pc}
    .size port_switched, . - port_switched

/* void port_start(void *sp): to thread mode on PSP, then as the end of port_switch(). What main had on
 * the main stack is gone: handlers begin at its end. */
    function port_start
    msr     psp, r0
    movs    r1, #2
    msr     control, r1
    isb
    ldr     r0, =__takt_isr_stack_end
    msr     msp, r0
    pop_r8_to_r11
    pop     {r4-r7, pc}
    .balign 4
    .pool
    .size port_start, . - port_start

/* uint32_t port_on_isr_stack(work, irq, why): the main stack's pointer is where port_start() put it
 * whenever a thread runs. */
    function port_on_isr_stack
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

/* First instructions of a thread: r4 = entry, r5 = argument (port_stack_init). */
    function port_thread_entry
    cpsie   i
    mov     r0, r5
    blx     r4
    bl      takt_thread_exit
    .size port_thread_entry, . - port_thread_entry

/* void port_idle(void): interrupts are off, so a pending one ends WFI without being taken; it is
 * taken between cpsie and cpsid. The isb makes sure of that on cores that recognise late. */
    function port_idle
    dsb
    wfi
    cpsie   i
    isb
    cpsid   i
    bx      lr
    .size port_idle, . - port_idle

    function isr_pendsv
    ldr     r3, =takt_core
    ldrb    r1, [r3, #CURRENT]
    cmp     r1, #32
    bhs     2f              /* idle: the dispatcher looks by itself */
    movs    r2, #1
    lsls    r2, r1
    mrs     r0, psp
    ldr     r1, =port_resume
    mov     r12, r1
    ldr     r1, [r0, #24]
    cmp     r1, r12
    ldr     r1, [r3, #PREEMPTED]
    beq     1f
    tst     r1, r2
    bne     3f
    subs    r0, #32
    msr     psp, r0
1:  orrs    r1, r2
    str     r1, [r3, #PREEMPTED]
    movs    r2, #1
    lsls    r2, #24         /* xPSR: Thumb, thread mode, no alignment word */
    str     r2, [r0, #28]
    ldr     r1, =port_preempted
    str     r1, [r0, #24]
    cpsid   i               /* last, so that other handlers can still come in before */
2:  bx      lr
3:  ldrb    r1, [r3, #FLAGS]
    movs    r2, #AGAIN
    orrs    r1, r2
    strb    r1, [r3, #FLAGS]
    bx      lr
    .balign 4
    .pool
    .size isr_pendsv, . - isr_pendsv

/* Not a function one may call: PendSV returns here. No Thumb bit in its address, as in a frame.
 * Another thread may come back here by a switch that has enabled interrupts (sem.S). */
    .section .text.port_preempted, "ax", %progbits
    .balign 4
    .global port_preempted
port_preempted:
    bl      takt_preempt
    cpsid   i
    ldr     r3, =takt_core
    ldrb    r0, [r3, #FLAGS]
    movs    r1, #AGAIN
    tst     r0, r1
    beq     1f
    bics    r0, r1
    strb    r0, [r3, #FLAGS]
    b       port_preempted
1:  movs    r1, #1
    ldrb    r2, [r3, #CURRENT]
    lsls    r1, r2
    ldr     r0, [r3, #PREEMPTED]
    bics    r0, r1
    str     r0, [r3, #PREEMPTED]
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
    bx      lr
    .size isr_svcall, . - isr_svcall

/* The frame of the fault is on the stack EXC_RETURN names. */
    function isr_hardfault
    movs    r0, #4
    mov     r1, lr
    tst     r0, r1
    beq     1f
    mrs     r0, psp
    b       2f
1:  mrs     r0, msp
2:  ldr     r1, =port_hardfault
    bx      r1
    .balign 4
    .pool
    .size isr_hardfault, . - isr_hardfault
