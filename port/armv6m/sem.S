/*
 * Blocking and waking, as in preempt.S preempting, where that is all there is: no budgets, no
 * tasks, no trace. Programs with any of these have kernel/core/sem.c, which does the same in C and
 * asks more. A mutex keeps threads from running that are ready: takt_core.kept (mutex.c). Its
 * holder is ready and not kept, so a thread that leaves and finds no other is the holder.
 *
 * takt_sem_wait() and takt_sem_signal() are for thread mode with interrupts on; anything else is
 * refused. Threads' stacks lie on one side of takt_core, the interrupts' on the other (link
 * script): TAKT_THREADS_BELOW is the board's.
 *
 * A thread that leaves stores what frame.h says; the one that comes goes on with interrupts on. Bit
 * 0 of the stack pointer saved is set where PendSV did that; the CPU ignores it.
 */
#if TAKT_THREADS_BELOW
#define IF_NO_THREAD bhi
#else
#define IF_NO_THREAD bls
#endif

#include "../arm_function.h"
#include "core/uses.h"
#include "frame.h"
#include "layout.h"
#include "pendsv.h"

#if !TAKT_HAS_DISPATCHER

    .syntax unified
    .cpu cortex-m0
    .thumb

    .equ NOBODY, 0xFF

    .macro look_for_null
#if TAKT_NULL_READS
    cmp     r0, #0
    beq     null
#endif
    .endm

    /* r1 = bit of the running thread, r4 = its place; r2 = takt_core */
    .macro self
    ldrb    r4, [r2, #CURRENT]
    movs    r1, #1
    lsls    r1, r4
    .endm

    /* of a set those that the ceiling does not keep from running */
    .macro less_kept set, lost
#if TAKT_HAS_MUTEX
    ldr     \lost, [r2, #KEPT]
    bics    \set, \lost
#endif
    .endm

    .section .text.takt_sem, "ax", %progbits
    .balign 4
#if !PORT_LTO
take:
    strh    r3, [r0, #COUNT]
    movs    r0, #0
    cpsie   i
    bx      lr

wrong:
    movs    r0, #ECONTEXT
    mvns    r0, r0
    bx      lr

#if TAKT_NULL_READS
null:
    subs    r0, #EINVAL
    bx      lr
#endif

    exported takt_sem_wait
    fact    "only threads"
    look_for_null
    ldr     r2, core
    cmp     sp, r2
    IF_NO_THREAD wrong
    mrs     r3, primask
    cpsid   i
    cmp     r3, #0
    bne     wrong
    ldrh    r3, [r0, #COUNT]
    subs    r3, #1
    bcs     take
    push    {r4-r7, lr}
    self
    ldr     r3, [r0, #WAITERS]
    orrs    r3, r1
    str     r3, [r0, #WAITERS]
    .size takt_sem_wait, . - takt_sem_wait
#endif

/* The thread whose bit is r1 and whose place is r4 leaves; r4-r7 and lr have been pushed. */
    .type takt_sem_leave, %function
    .thumb_func
takt_sem_leave:
    fact    "switches"
    fact    "locked"
    ldr     r3, [r2, #READY]
    bics    r3, r1
    str     r3, [r2, #READY]
    less_kept r3, r1
    rsbs    r1, r3, #0
    ands    r1, r3              /* the bit of the most urgent */
    beq     idle
/* To the thread whose bit is r1. */
switch:
    ldr     r3, debruijn
    muls    r1, r3
    lsrs    r1, #27
    ldr     r3, place_of
    ldrb    r1, [r3, r1]
    strb    r1, [r2, #CURRENT]
    ldr     r2, tcbs
    lsls    r1, #2
    lsls    r3, r4, #2
    push_frame
    mov     r0, sp
    str     r0, [r2, r3]
    ldr     r1, [r2, r1]        /* only now: it may be the same thread, after idling */
    mov     sp, r1
    cpsie   i
    .global takt_sem_back   /* preempt.S comes here */
takt_sem_back:
    movs    r0, #0
    pop_frame

/* No thread is ready: on the stack of the last, until an interrupt wakes one. A pending one
 * ends WFI and is taken between cpsie and cpsid; the isb makes sure of that on cores that recognise
 * late. */
idle:
#if TAKT_HAS_MUTEX
    ldr     r3, [r2, #KEPT]
    cmp     r3, #0
    bne     holder
#endif
    movs    r3, #NOBODY
    strb    r3, [r2, #CURRENT]
    cpsie   i
    movs    r0, r4
    bl      takt_check_stack
    ldr     r2, core
1:  cpsid   i
    ldr     r3, [r2, #READY]
    rsbs    r1, r3, #0
    ands    r1, r3
    bne     switch
    dsb
    wfi
    cpsie   i
    isb
    b       1b
    .size takt_sem_leave, . - takt_sem_leave

#if !PORT_LTO
    exported takt_sem_signal
    look_for_null
    ldr     r2, core
    cmp     sp, r2
    IF_NO_THREAD wrong
    mrs     r3, primask
    cpsid   i
    cmp     r3, #0
    bne     wrong
    ldr     r3, [r0, #WAITERS]
    rsbs    r1, r3, #0
    ands    r1, r3              /* the bit of the most urgent */
    beq     give
    push    {r4-r7, lr}
    eors    r3, r1
    str     r3, [r0, #WAITERS]
    ldr     r3, [r2, #READY]
    orrs    r3, r1
    str     r3, [r2, #READY]
    ldrb    r4, [r2, #CURRENT]
    movs    r3, #1
    lsls    r3, r4
    cmp     r1, r3
#if TAKT_HAS_MUTEX
    bhs     stay
    ldr     r3, [r2, #KEPT]
    tst     r1, r3
    beq     switch
stay:
#else
    blo     switch
#endif
    movs    r0, #0
    cpsie   i
    pop     {r4-r7, pc}

give:
    ldrh    r3, [r0, #COUNT]
    ldrh    r2, [r0, #MAX]
    adds    r3, #1
    cmp     r3, r2
    bls     take
    movs    r0, #EOVERFLOW
    mvns    r0, r0
    cpsie   i
    bx      lr
    .size takt_sem_signal, . - takt_sem_signal
#endif

#if TAKT_HAS_MUTEX
/* The holder of a mutex was to wait for the semaphore r0, which it must not. */
holder:
    movs    r1, #1
    lsls    r1, r4
    ldr     r3, [r2, #READY]
    orrs    r3, r1
    str     r3, [r2, #READY]
    ldr     r3, [r0, #WAITERS]
    bics    r3, r1
    str     r3, [r0, #WAITERS]
    movs    r0, #ECONTEXT
    mvns    r0, r0
    cpsie   i
    pop     {r4-r7, pc}

/* void takt_dispatch_locked(port_irq_t irq): a mutex has been unlocked. Interrupts are on when it
 * returns. */
    exported takt_dispatch_locked
    fact    "takes switch"
    fact    "locked"
    cpsie   i
    isb
    push    {r4-r7, lr}
    ldr     r2, core
    cpsid   i
    ldr     r3, [r2, #READY]
    less_kept r3, r1
    rsbs    r1, r3, #0
    ands    r1, r3
    ldrb    r4, [r2, #CURRENT]
    movs    r3, #1
    lsls    r3, r4
    cmp     r1, r3
    blo     switch
    cpsie   i
    pop     {r4-r7, pc}
    .size takt_dispatch_locked, . - takt_dispatch_locked
#else
    exported takt_thread_exit
    fact    "locked"
    cpsid   i
#endif
leave_from_c:
    push    {r4-r7, lr}
    ldr     r2, core
    self
    b       takt_sem_leave
#if !TAKT_HAS_MUTEX
    .size takt_thread_exit, . - takt_thread_exit
#endif

/* void takt_block_locked(enum takt_block_reason reason, port_irq_t irq) */
    .section .text.takt_block_locked, "ax", %progbits
    .balign 4
    exported takt_block_locked
    fact    "locked"
    push    {r4, lr}
    bl      leave_from_c
    cpsid   i
    pop     {r4, pc}
    .size takt_block_locked, . - takt_block_locked

#if !TAKT_HAS_MUTEX /* with them it is sched.c's, like takt_thread_exit() */
/* int takt_check_block(void) */
    .section .text.takt_check_block, "ax", %progbits
    .balign 4
    exported takt_check_block
    ldr     r1, =takt_core
    movs    r0, #1
    cmp     sp, r1
    IF_NO_THREAD 1f
    mrs     r1, primask
    cmp     r1, #0
    beq     2f
1:  movs    r0, #ECONTEXT
    mvns    r0, r0
2:  bx      lr
    .balign 4
    .pool
    .size takt_check_block, . - takt_check_block
#endif

/* void takt_wake_isr(takt_set_t set) */
    .section .text.takt_wake_isr, "ax", %progbits
    .balign 4
    exported takt_wake_isr
    ldr     r3, =takt_core
    rsbs    r1, r0, #0
    ands    r1, r0              /* the bit of the most urgent */
    beq     1f
    cpsid   i
    ldr     r2, [r3, #READY]
    orrs    r2, r0
    str     r2, [r3, #READY]
    cpsie   i
    ldrb    r2, [r3, #CURRENT]
    movs    r0, #1
    lsls    r0, r2              /* 0 while idle: the CPU looks for itself */
    cmp     r1, r0
    bhs     1f
    ask_for_pendsv
1:  bx      lr
    .balign 4
    .pool
    .size takt_wake_isr, . - takt_wake_isr

    .section .text.takt_sem, "ax", %progbits
    .balign 4
core:
    .word   takt_core
debruijn:
    .word   0x077CB531
tcbs:
    .word   __takt_tcbs
place_of:
    .word   takt_set_place_of

#endif

    .section .rodata.takt_set_place_of, "a", %progbits
    .global takt_set_place_of
takt_set_place_of:
    .byte 0, 1, 28, 2, 29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4, 8
    .byte 31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6, 11, 5, 10, 9
