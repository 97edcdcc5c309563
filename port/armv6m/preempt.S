/*
 * Cortex-M0/M0+: preempting threads; apart from switch.S, for programs without preemption. PendSV
 * is the last handler to run.
 *
 * In programs with sem.S, PendSV leaves on the stack of the thread it interrupted what a switch
 * would have left (frame.h), and bit 0 set in the stack pointer saved:
 *
 *      S -> r8 r9 r10 r11 r4 r5 r6 r7 pc = port_resume  [frame: the thread as it was interrupted]
 *
 * Then it makes a frame below what the most urgent thread has saved, and returns through it into
 * the end of a switch, where that thread takes what is its. A thread interrupted there keeps its
 * mark until the svc is done: PendSV finds it in one of three places, which it tells by the stack
 * pointer:
 *
 *      S           nothing taken: what was saved is whole
 *      S + 16      r8-r11 taken: they are put back
 *      S + 36      all taken: the frame PendSV finds is dropped, as svc would have
 *
 * So no stack holds more than one frame of a preemption. All that with interrupts on: one that
 * wakes a thread more urgent than the thread that was interrupted asks for PendSV again.
 * tests/models/direct.pml checks all that.
 *
 * In programs with TAKT_HAS_DISPATCHER preemption makes the interrupted thread call
 * takt_preempt(): PendSV puts a made-up exception frame below the thread's real one and returns
 * through it:
 *
 *      psp -> [frame: pc = port_preempted]  [frame: the thread as it was interrupted]
 *
 * port_preempted runs in thread mode with the real frame on top of its stack; when the thread's
 * turn comes again it goes back through SVC, whose handler drops SVC's own frame and so returns
 * into the real one. Another PendSV makes no further frame, for the stack would grow with each:
 * until the dispatcher has picked a thread, interrupts are off, or the CPU is on the interrupts'
 * stack, where PendSV's own frame then is, too. An interrupt may hit exactly between enabling
 * interrupts and the svc; a PendSV then finds pc = port_resume and reuses the frame it finds,
 * because the thread has nothing left to save there. tests/models/switch.pml checks all that.
 */
#include "../arm_function.h"
#include "core/uses.h"
#include "layout.h"
#include "pendsv.h"

    .syntax unified
    .cpu cortex-m0
    .thumb

    .equ FRAME, 32          /* an exception's */
    .equ TAKEN, FRAME + 4 - 16 /* from the frame of an interrupt, with the word that aligns it */
#if PORT_LTO
    .equ TOP, 4             /* port_frame */
#else
    .equ TOP, 0
#endif
    .equ SAVED, TOP + 36
    .equ BACK, FRAME + 4 /* the frame by which the thread comes back, or another interrupt's then */

/* void port_switch_from_isr(void) */
    function port_switch_from_isr
    ask_for_pendsv
    bx      lr
    .balign 4
    .pool
    .size port_switch_from_isr, . - port_switch_from_isr

#if !TAKT_HAS_DISPATCHER

    /* On top of an interrupt's frame. */
    .global port_preempt_bytes
    .equ port_preempt_bytes, SAVED + BACK

    .section .text.isr_pendsv, "ax", %progbits
    .balign 4
    exported isr_pendsv
    ldr     r3, =takt_core
    ldrb    r1, [r3, #CURRENT]
    lsls    r1, #2
    ldr     r2, =__takt_threads_start
    adds    r2, r1
    ldr     r0, =__takt_threads_end
    cmp     r2, r0
    bhs     overflow        /* it is on takt_core */
    ldr     r2, [r2]
    ldr     r2, [r2, #STACK]
    ldr     r0, =__takt_tcbs
    ldr     r0, [r0, r1]
    lsrs    r0, #1          /* carry: the mark */
    mrs     r0, psp
    bcs     back
leave:
    subs    r0, #SAVED + BACK
    cmp     r0, r2          /* the bottom of its stack */
    bls     overflow
    adds    r0, #SAVED + BACK - 20
    stmia   r0!, {r4-r7}
    ldr     r4, =port_resume + 1
    str     r4, [r0]
    ldr     r4, [r2]
    ldr     r5, =SENTINEL
    cmp     r4, r5
    bne     overflow
    subs    r0, #32
    mov     r4, r8
    mov     r5, r9
    mov     r6, r10
    mov     r7, r11
    stmia   r0!, {r4-r7}
#if PORT_LTO
    subs    r0, #16 + TOP
    ldr     r4, =port_frame
    str     r4, [r0]
    adds    r0, #1
#else
    subs    r0, #16 - 1
#endif
    ldr     r2, =__takt_tcbs
    str     r0, [r2, r1]
/* The most urgent thread comes; r2: the control blocks, r3: takt_core. Self is ready, and harmless
 * as the next. */
come:
    ldr     r0, [r3, #READY]
#if TAKT_HAS_MUTEX
    ldr     r1, [r3, #KEPT]
    bics    r0, r1
#endif
    rsbs    r1, r0, #0
    ands    r1, r0
    ldr     r0, =0x077CB531
    muls    r1, r0
    lsrs    r1, #27
    ldr     r0, =takt_set_place_of
    ldrb    r1, [r0, r1]
    strb    r1, [r3, #CURRENT]
    lsls    r1, #2
    ldr     r0, [r2, r1]
    lsrs    r0, #1
    lsls    r0, #1
#if PORT_LTO                /* a thread that left by inlined code may have any stack pointer */
    movs    r1, #4
    ands    r1, r0
    subs    r0, r1
    subs    r0, #FRAME
    lsls    r1, #7          /* the alignment word: bit 9 */
    movs    r2, #1
    lsls    r2, #24
    orrs    r1, r2
#else                       /* a function's, less nine words */
    subs    r0, #BACK
    ldr     r1, =0x01000200 /* xPSR: Thumb, thread mode, alignment word */
#endif
    str     r1, [r0, #28]
    ldr     r1, =takt_sem_back
    str     r1, [r0, #24]
    msr     psp, r0
    bx      lr

/* Interrupted on its way back; r0: the frame. */
back:
    ldr     r3, =__takt_tcbs
    ldr     r3, [r3, r1]    /* S + 1 */
    cmp     r0, r3
    bhi     1f
    adds    r0, #TAKEN      /* if nothing was, that is below S */
    mov     r4, r8
    mov     r5, r9
    mov     r6, r10
    mov     r7, r11
    stmia   r0!, {r4-r7}
#if PORT_LTO
    subs    r3, #1
    ldr     r0, =port_frame
    str     r0, [r3]
#endif
    ldr     r2, =__takt_tcbs
    ldr     r3, =takt_core
    b       come
1:  ldr     r3, =takt_core
    adds    r0, #FRAME
    b       leave

overflow:
    movs    r0, #FATAL_STACK
    lsrs    r1, #2
    movs    r2, #0
    bl      takt_fatal
    .size isr_pendsv, . - isr_pendsv

/* Not a function one may call: what a preempted thread comes back to. */
    .global port_resume
port_resume:
    svc     0

    exported isr_svcall
    mrs     r0, psp
    adds    r0, #FRAME
    msr     psp, r0
    ldr     r3, =takt_core
    ldrb    r1, [r3, #CURRENT]
    lsls    r1, #2
    ldr     r2, =__takt_tcbs
    str     r0, [r2, r1]    /* no mark; not NULL, see takt_started() */
    bx      lr
    .size isr_svcall, . - isr_svcall
    .balign 4
    .pool

/* int takt_sem_signal_isr(struct takt_sem *sem) */
    .section .text.takt_sem_signal_isr, "ax", %progbits
    .balign 4
    exported takt_sem_signal_isr
#if TAKT_NULL_READS
    cmp     r0, #0
    beq     5f
#endif
    mrs     r3, primask
    mov     r12, r3
    cpsid   i
    ldr     r2, [r0, #WAITERS]
    rsbs    r1, r2, #0
    ands    r1, r2              /* the bit of the most urgent */
    beq     1f
    eors    r2, r1
    str     r2, [r0, #WAITERS]
    ldr     r3, =takt_core
    ldr     r2, [r3, #READY]
    orrs    r2, r1
    str     r2, [r3, #READY]
    ldrb    r2, [r3, #CURRENT]
    movs    r0, #1
    lsls    r0, r2              /* 0 while idle: the CPU looks for itself */
    cmp     r1, r0
    bhs     2f
    ask_for_pendsv
2:  movs    r0, #0
3:  mov     r3, r12
    msr     primask, r3
    bx      lr
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
#if TAKT_NULL_READS
5:  subs    r0, #EINVAL
    bx      lr
#endif
    .balign 4
    .pool
    .size takt_sem_signal_isr, . - takt_sem_signal_isr

#else

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
    bhs     2f              /* idle: the dispatcher, which is running, looks by itself */
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
