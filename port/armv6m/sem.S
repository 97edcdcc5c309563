/*
 * takt_sem_wait() and takt_sem_signal() where they switch threads and nothing else is to be done:
 * nobody holds a mutex, there are no budgets and no trace. Then takt_core.fast is the running
 * thread's bit; else it is 0, and kernel/sem.c does it.
 *
 *      takt_core: ready, fast, ..., current          struct takt_sem: waiters, count, max
 *
 * Both are called in thread mode with interrupts on; anything else goes to kernel/sem.c, which says
 * what is wrong. Threads' stacks lie on one side of takt_core, the interrupts' on the other (link
 * script): TAKT_THREADS_BELOW is the board's.
 */
#if TAKT_THREADS_BELOW
#define IF_NO_THREAD bhi
#else
#define IF_NO_THREAD bls
#endif

    .syntax unified
    .cpu cortex-m0
    .thumb

    .equ READY, 0
    .equ FAST, 4
    .equ CURRENT, 12
    .equ WAITERS, 0
    .equ COUNT, 4
    .equ MAX, 6
    .equ ECONTEXT, 2            /* ~TAKT_ECONTEXT */
    .equ EOVERFLOW, 4

    .weak takt_sem_wait_slow    /* kernel/sem.c's, in programs with mutexes, budgets or the trace */
    .weak takt_sem_signal_slow

    .section .text.takt_sem, "ax", %progbits
    .balign 4
take:
    strh    r3, [r0, #COUNT]
    movs    r0, #0
    cpsie   i
    bx      lr

/* Interrupts were off if r3 is 0, or takt_core.fast is 0. */
wait_unlock:
    cmp     r3, #0
    beq     wait_slow
    cpsie   i
wait_slow:
    ldr     r1, =takt_sem_wait_slow
slow:
    cmp     r1, #0
    beq     wrong
    bx      r1
wrong:
    movs    r0, #ECONTEXT
    mvns    r0, r0
    bx      lr

/* Nobody else is ready. */
wait_idle:
    push    {r4, lr}
    str     r3, [r2, #READY]
    ldr     r3, [r0, #WAITERS]
    orrs    r3, r1
    str     r3, [r0, #WAITERS]
    movs    r0, #0
    bl      takt_dispatch_locked
    cpsie   i
    movs    r0, #0
    pop     {r4, pc}

    .global takt_sem_wait
    .type takt_sem_wait, %function
    .thumb_func
takt_sem_wait:
    ldr     r2, core
    cmp     sp, r2
    IF_NO_THREAD wait_slow
    mrs     r3, primask
    cpsid   i
    ldr     r1, [r2, #FAST]
    subs    r3, #1              /* 0 where interrupts were off, else all ones */
    ands    r1, r3
    beq     wait_unlock
    ldrh    r3, [r0, #COUNT]
    subs    r3, #1
    bcs     take
    ldr     r3, [r2, #READY]
    bics    r3, r1
    beq     wait_idle
    push    {r4-r7, lr}
    str     r3, [r2, #READY]
    ldr     r4, [r0, #WAITERS]
    orrs    r4, r1
    str     r4, [r0, #WAITERS]
    rsbs    r1, r3, #0
    ands    r1, r3              /* the bit of the most urgent */

/* To the thread whose bit is r1; r4-r7 and lr have been pushed. */
switch_pushed:
    str     r1, [r2, #FAST]
    ldr     r3, debruijn
    muls    r1, r3
    lsrs    r1, #27
    adr     r3, place_of
    ldrb    r1, [r3, r1]
    ldrb    r3, [r2, #CURRENT]
    strb    r1, [r2, #CURRENT]
    ldr     r2, tcbs
    lsls    r1, #2
    lsls    r3, #2
    ldr     r1, [r2, r1]
    mov     r4, r8
    mov     r5, r9
    mov     r6, r10
    mov     r7, r11
    push    {r4-r7}
    mov     r0, sp
    str     r0, [r2, r3]
    mov     sp, r1
    cpsie   i
    pop     {r4-r7}
    mov     r8, r4
    mov     r9, r5
    mov     r10, r6
    mov     r11, r7
    movs    r0, #0
    pop     {r4-r7, pc}
    .size takt_sem_wait, . - takt_sem_wait

    .global takt_sem_signal
    .type takt_sem_signal, %function
    .thumb_func
takt_sem_signal:
    ldr     r2, core
    cmp     sp, r2
    IF_NO_THREAD signal_slow
    mrs     r3, primask
    cpsid   i
    cmp     r3, #0
    bne     signal_slow
    ldr     r3, [r0, #WAITERS]
    rsbs    r1, r3, #0
    ands    r1, r3              /* the bit of the most urgent */
    beq     give
    push    {r4-r7, lr}
    ldr     r4, [r2, #FAST]
    cmp     r4, #0
    beq     signal_pushed
    eors    r3, r1
    str     r3, [r0, #WAITERS]
    ldr     r3, [r2, #READY]
    orrs    r3, r1
    str     r3, [r2, #READY]
    cmp     r1, r4
    blo     switch_pushed
    movs    r0, #0
    cpsie   i
    pop     {r4-r7, pc}

give:
    ldrh    r1, [r0, #COUNT]
    ldrh    r3, [r0, #MAX]
    cmp     r1, r3
    bhs     full
    adds    r1, #1
    strh    r1, [r0, #COUNT]
    movs    r0, #0
    cpsie   i
    bx      lr
full:
    movs    r0, #EOVERFLOW
    mvns    r0, r0
    cpsie   i
    bx      lr

signal_pushed:
    pop     {r4-r7}
    pop     {r1}
    mov     lr, r1
    cpsie   i
signal_slow:
    ldr     r1, =takt_sem_signal_slow
    b       slow
    .size takt_sem_signal, . - takt_sem_signal

    .balign 4
core:
    .word   takt_core
debruijn:
    .word   0x077CB531
tcbs:
    .word   __takt_tcbs
    .global takt_set_place_of
takt_set_place_of:
place_of:
    .byte 0, 1, 28, 2, 29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4, 8
    .byte 31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6, 11, 5, 10, 9
    .pool
