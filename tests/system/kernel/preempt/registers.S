/* uint32_t registers_disturbed(uint32_t seed), see preempt.c */
#ifdef __AVR__
#include "registers_avr.h"
#elif defined(BOARD_PC)
#include "registers_pc.h"
#elif defined(__x86_64__)
#include "registers_x86_64.h"
#else
    .syntax unified
    .cpu cortex-m0
    .thumb
    .text
    .balign 4
    .global registers_disturbed
    .type registers_disturbed, %function
    .thumb_func
registers_disturbed:
    push    {r4-r7, lr}
    mov     r4, r8
    mov     r5, r9
    mov     r6, r10
    mov     r7, r11
    push    {r4-r7}
    push    {r0}                /* the seed, to compare with */
    adds    r1, r0, #1
    adds    r2, r0, #2
    adds    r3, r0, #3
    adds    r4, r0, #4
    adds    r5, r0, #5
    adds    r6, r0, #6
    adds    r7, r0, #7
    mov     r8, r1
    mov     r9, r2
    mov     r10, r3
    mov     r11, r4
    mov     r12, r5
    mov     lr, r6
    .rept 24
    cmp     r0, r0              /* Z and C set; what follows depends on them surviving */
    bne     1f
    bcc     1f
    nop
    cmp     r1, r0              /* r1 = r0 + 1: not equal */
    bne     2f
1:  ldr     r1, =9f + 1
    bx      r1
2:
    .endr
    movs    r1, #1
    lsls    r1, r1, #31
    movs    r2, #1
    cmp     r1, r2              /* V and C set, N and Z not */
    .rept 8
    bvc     2f
    bcc     2f
    bmi     2f
    beq     2f
    nop
    .endr
    cmp     r2, r1              /* N and V set, C and Z not */
    bvc     2f
    bcs     2f
    bpl     2f
    adds    r1, r0, #1
    adds    r2, r0, #2
    b       3f
2:  ldr     r1, =9f + 1
    bx      r1
    .pool
3:
    .macro check reg, off
    subs    \reg, \reg, r0
    subs    \reg, #\off
    bne     9f
    .endm
    check   r1, 1
    check   r2, 2
    check   r3, 3
    check   r4, 4
    check   r5, 5
    check   r6, 6
    check   r7, 7
    mov     r1, r8
    mov     r2, r9
    mov     r3, r10
    mov     r4, r11
    mov     r5, r12
    mov     r6, lr
    check   r1, 1
    check   r2, 2
    check   r3, 3
    check   r4, 4
    check   r5, 5
    check   r6, 6
    ldr     r1, [sp]
    subs    r1, r1, r0
    bne     9f
    movs    r0, #0
    b       8f
9:  movs    r0, #1
8:  add     sp, #4
    pop     {r4-r7}
    mov     r8, r4
    mov     r9, r5
    mov     r10, r6
    mov     r11, r7
    pop     {r4-r7, pc}
    .size registers_disturbed, . - registers_disturbed
#endif
