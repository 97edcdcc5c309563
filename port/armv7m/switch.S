/*
 * Cortex-M3/M4: switching threads, preempting them, and the exceptions that takes. As
 * port/armv6m/switch.S, whose drawings hold, with these differences.
 *
 * The kernel's lock is BASEPRI, so interrupts above TAKT_IRQ_PRIORITY come in at any instruction
 * here, on the stack that is loaded.
 *
 * There are no fast semaphores, so every switch leaves the lock closed and its caller opens
 * it. From PendSV's last instruction to the svc it is open only where the dispatcher works on
 * budgets, and there nothing asks for a preemption; one that was asked for before, while PendSV was
 * at work, is taken back. So no second frame can come on top of a first, and nothing need be noted
 * (tests/models/switch.pml).
 *
 * The MPU's region 0 makes the lowest 32 bytes of the running thread's stack read-only. Its address
 * goes with the thread:
 *
 *      saved sp -> guard  control  [s16..s31 fpscr -]  r4..r11  pc
 *
 * `control` and what is in brackets exist where there is an FPU, the latter in threads that have
 * used it since they were last switched to (CONTROL.FPCA). A thread that is preempted with FPU
 * state has s16-s31 saved by PendSV (which also makes the core write s0-s15 into the frame, if that
 * is still to be done) and then is one without, until it goes back:
 *
 *      psp -> [frame: pc = port_preempted]  exc_return -  [s16..s31]  [frame: as interrupted]
 */
#include "../arm_function.h"

#include <takt/config.h>

#ifndef TAKT_IRQ_PRIORITY
#define TAKT_IRQ_PRIORITY 0x40
#endif
#ifndef TAKT_PRIORITIES /* as many as the architecture allows; a chip has fewer */
#define TAKT_PRIORITIES 128
#endif
#define MPU_RBAR  0xE000ED9C
#define ICSR      0xE000ED04
#define PENDSVCLR 1 << 27
#define ON_PSP    2 /* of CONTROL */
#define FPCA      4
#define BASIC     16 /* of EXC_RETURN: the frame has no FPU registers */

    .syntax unified
    .thumb
    .text

/* For tools/takt/code/stacks.py: what is taken beyond what ARMv6-M takes. */
    .global port_guard_bytes, port_frame_bytes, port_preempt_bytes, port_priorities
    .set    port_priorities, TAKT_PRIORITIES    /* that nest */
    .set    port_guard_bytes, PORT_GUARD_BYTES
#ifdef __ARM_FP
    .set    port_frame_bytes, 18 * 4            /* s0-s15, FPSCR, a word of nothing */
    .set    port_preempt_bytes, 16 * 4 + 8      /* s16-s31, EXC_RETURN */
#else
    .set    port_frame_bytes, 0
    .set    port_preempt_bytes, 0
#endif

    .macro guard_address reg
    movw    \reg, #:lower16:MPU_RBAR
    movt    \reg, #:upper16:MPU_RBAR
    .endm

/* The rest of a switch: from what sp points to into the thread. r3 = MPU_RBAR. */
    .macro continue
#ifdef __ARM_FP
    pop     {r1, r2}
    str     r1, [r3]
    msr     control, r2
    isb
    tst     r2, #FPCA
    beq     1f
    vpop    {s16-s31}
    pop     {r1, r2}
    vmsr    fpscr, r1
1:
#else
    pop     {r1}
    str     r1, [r3]
#endif
    pop     {r4-r11, pc}
    .endm

/* void port_switch(void **save, void *load) */
    function port_switch
    fact    "switches"
    push    {r4-r11, lr}
    guard_address r3
    ldr     r4, [r3]
#ifdef __ARM_FP
    mrs     r5, control
    tst     r5, #FPCA
    beq     1f
    vmrs    r6, fpscr
    push    {r6, r7}
    vpush   {s16-s31}
1:  push    {r4, r5}
#else
    push    {r4}
#endif
    str     sp, [r0]
    mov     sp, r1
    continue
    .size port_switch, . - port_switch

/* void port_start(void *sp): to thread mode on PSP, then as the end of port_switch(). What main had
 * on the main stack is gone: handlers begin at its end. */
    function port_start
    fact    "switches"
    msr     psp, r0
    movs    r1, #ON_PSP
    msr     control, r1
    isb
    ldr     r0, =__takt_isr_stack_end
    msr     msp, r0
    guard_address r3
    continue
    .balign 4
    .pool
    .size port_start, . - port_start

/* uint32_t port_on_isr_stack(work, irq, why): the main stack's pointer is where port_start() put it
 * whenever a thread runs. */
    function port_on_isr_stack
    fact    "calls isr stack"
    push    {r4, lr}
    mrs     r3, control
    bic     r3, r3, #ON_PSP
    msr     control, r3
    isb
    mov     r3, r0
    mov     r0, r1
    mov     r1, r2
    blx     r3
    mrs     r3, control
    orr     r3, r3, #ON_PSP
    msr     control, r3
    isb
    pop     {r4, pc}
    .size port_on_isr_stack, . - port_on_isr_stack

/* First instructions of a thread: r4 = entry, r5 = argument (port_stack_init). */
    function port_thread_entry
    fact    "switches"
    movs    r0, #0
    msr     basepri, r0
    mov     r0, r5
    blx     r4
    bl      takt_thread_exit
    .size port_thread_entry, . - port_thread_entry

/* void port_idle(void): BASEPRI is set, under which what it holds back does not end WFI, but under
 * PRIMASK it does. Handlers run between cpsie and the end. */
    function port_idle
    fact    "idle"
    cpsid   i
    movs    r0, #0
    msr     basepri, r0
    dsb
    wfi
    cpsie   i
    isb
    movs    r0, #TAKT_IRQ_PRIORITY
    msr     basepri, r0
    bx      lr
    .size port_idle, . - port_idle

    function isr_pendsv
    tst     lr, #4          /* on MSP it is the dispatcher, which has yet to look */
    it      eq
    bxeq    lr
    mrs     r0, psp
    ldr     r1, [r0, #24]
    ldr     r2, =port_resume
    cmp     r1, r2
    beq     2f
#ifdef __ARM_FP
    tst     lr, #BASIC
    bne     1f
    vstmdb  r0!, {s16-s31}
1:  str     lr, [r0, #-8]!
    orr     lr, lr, #BASIC
#endif
    subs    r0, #32
    movs    r2, #0x01000000 /* xPSR: Thumb, thread mode, no alignment word */
    str     r2, [r0, #28]
    msr     psp, r0
2:  ldr     r1, =port_preempted
    str     r1, [r0, #24]
    movs    r1, #TAKT_IRQ_PRIORITY
    msr     basepri, r1     /* last, so that other handlers can still come in before */
    bx      lr
    .balign 4
    .pool
    .size isr_pendsv, . - isr_pendsv

/* Not a function one may call: PendSV returns here. No Thumb bit in its address, as in a frame. */
    .section .text.port_preempted, "ax", %progbits
    .balign 4
    .global port_preempted
    .thumb
port_preempted:
    movw    r0, #:lower16:ICSR
    movt    r0, #:upper16:ICSR
    mov     r1, #PENDSVCLR
    str     r1, [r0]
    bl      takt_preempt
    movs    r1, #0
#ifdef __ARM_FP
    movs    r0, #2          /* whatever the kernel left in the FPU is no state */
    msr     control, r0
    isb
#endif
    msr     basepri, r1
    .global port_resume
port_resume:
    svc     0
    .size port_preempted, . - port_preempted

    function isr_svcall
    mrs     r0, psp
    adds    r0, #32
#ifdef __ARM_FP
    ldmia   r0!, {r1, r2}
    mov     lr, r1
    tst     lr, #BASIC
    bne     1f
    vldmia  r0!, {s16-s31}
1:
#endif
    msr     psp, r0
    bx      lr
    .size isr_svcall, . - isr_svcall
