/*
 * Cortex-M0/M0+: preempting threads. Apart from switch.S, for programs that preempt nobody.
 *
 * Preemption makes the interrupted thread call takt_preempt(): PendSV, the last handler to run,
 * puts a made-up exception frame below the thread's real one and returns through it:
 *
 *      psp -> [frame: pc = port_preempted]  [frame: the thread as it was interrupted]
 *
 * port_preempted runs in thread mode with the real frame on top of its stack; when the thread's
 * turn comes again it goes back through SVC, whose handler drops SVC's own frame and so returns
 * into the real one. While it is there (bit 0 of the stack pointer in the thread's control block),
 * PendSV makes no further frame, for the stack would grow with each, but notes that port_preempted
 * has to look again. An interrupt may hit exactly between enabling interrupts and the svc; a PendSV
 * then finds pc = port_resume and reuses the frame it finds, because the thread has nothing left to
 * save there. tests/models/switch.pml checks all that.
 */
    .syntax unified
    .cpu cortex-m0
    .thumb

    /* struct takt_core */
    .equ READY, 0
    .equ CURRENT, 4
    .equ FLAGS, 7
    .equ AGAIN, 2
    /* struct takt_sem */
    .equ WAITERS, 0
    .equ COUNT, 4
    .equ MAX, 6
    .equ EOVERFLOW, 4       /* ~TAKT_EOVERFLOW */
    .equ ICSR, 0xE000ED04
    .equ SHPR3, 0xE000ED20

    .macro function name
    .section .text.\name, "ax", %progbits
    .balign 4
    .global \name
    .type \name, %function
    .thumb_func
\name:
    .endm

    .macro weakly name
    .section .text.\name, "ax", %progbits
    .balign 4
    .weak \name
    .type \name, %function
    .thumb_func
\name:
    .endm

/* void port_init(void): PendSV below everything. SVC is above everything from reset on: it must never
 * be refused. */
    function port_init
    ldr     r1, =SHPR3
    movs    r0, #0xC0
    lsls    r0, #16
    str     r0, [r1]        /* SysTick's is nobody's */
    bx      lr
    .balign 4
    .pool
    .size port_init, . - port_init

/* void port_switch_from_isr(void) */
    function port_switch_from_isr
    ldr     r1, =ICSR
    movs    r0, #1
    lsls    r0, #28         /* PENDSVSET */
    str     r0, [r1]
    bx      lr
    .balign 4
    .pool
    .size port_switch_from_isr, . - port_switch_from_isr

    function isr_pendsv
    ldr     r3, =takt_core
    ldrb    r1, [r3, #CURRENT]
    cmp     r1, #32
    bhs     2f              /* idle: who is there looks by itself */
    lsls    r1, #2
    ldr     r2, =__takt_tcbs
    adds    r1, r2
    ldr     r2, [r1]        /* first: the dispatcher may be on MSP, and PSP at no frame */
    lsrs    r2, #1
    bcs     3f
    mrs     r0, psp
    ldr     r2, =port_resume
    mov     r12, r2
    ldr     r2, [r0, #24]
    cmp     r2, r12
    beq     1f
    subs    r0, #32
    msr     psp, r0
1:  movs    r2, #1
    str     r2, [r1]
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
 * Another thread may come back here by a switch that has enabled interrupts. */
    .section .text.port_preempted, "ax", %progbits
    .balign 4
    .global port_preempted
port_preempted:
    bl      takt_preempt
    cpsid   i
    ldr     r3, =takt_core
    ldrb    r2, [r3, #CURRENT]
    lsls    r2, #2
    ldr     r1, =__takt_tcbs
    ldrb    r0, [r3, #FLAGS]
    lsrs    r0, #2          /* carry: AGAIN */
    bcc     1f
    ldrb    r0, [r3, #FLAGS]
    subs    r0, #AGAIN
    strb    r0, [r3, #FLAGS]
    movs    r0, #1          /* anew: port_switch() has stored a stack pointer */
    str     r0, [r1, r2]
    b       port_preempted
1:  movs    r0, #2          /* bit 0 clear, but not NULL: see takt_started() */
    str     r0, [r1, r2]
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

/* What follows is for programs with sem.S's dispatcher; else kernel/dispatch.c has it. */

/* int takt_sem_signal_isr(struct takt_sem *sem) */
    weakly  takt_sem_signal_isr
    push    {r4, lr}
    ldr     r2, =takt_core
    mrs     r3, primask
    cpsid   i
    ldr     r4, [r0, #WAITERS]
    rsbs    r1, r4, #0
    ands    r1, r4              /* the bit of the most urgent */
    beq     1f
    eors    r4, r1
    str     r4, [r0, #WAITERS]
    ldr     r4, [r2, #READY]
    orrs    r4, r1
    str     r4, [r2, #READY]
    ldrb    r4, [r2, #CURRENT]
    movs    r0, #1
    lsls    r0, r4              /* 0 while idle: the CPU looks for itself */
    cmp     r1, r0
    bhs     2f
    ldr     r1, =ICSR
    movs    r0, #1
    lsls    r0, #28             /* PENDSVSET */
    str     r0, [r1]
2:  movs    r0, #0
3:  msr     primask, r3
    pop     {r4, pc}
1:  ldrh    r1, [r0, #COUNT]
    ldrh    r2, [r0, #MAX]
    cmp     r1, r2
    bhs     4f
    adds    r1, #1
    strh    r1, [r0, #COUNT]
    b       2b
4:  movs    r0, #EOVERFLOW
    mvns    r0, r0
    b       3b
    .balign 4
    .pool
    .size takt_sem_signal_isr, . - takt_sem_signal_isr

/* The most urgent thread runs; self is ready, and harmless as the next. See switch.S. */
    weakly  takt_preempt
    push    {r4-r7, lr}
    ldr     r2, =takt_core
    ldrb    r4, [r2, #CURRENT]
    cpsie   i                   /* meanwhile PendSV only notes that it came */
    movs    r0, r4
    bl      takt_check_stack
    cpsid   i
    ldr     r2, =takt_core
    ldr     r3, [r2, #READY]
    rsbs    r1, r3, #0
    ands    r1, r3
    movs    r0, #1
    bl      takt_sem_switch /* lr is free */
    .balign 4
    .pool
    .size takt_preempt, . - takt_preempt
